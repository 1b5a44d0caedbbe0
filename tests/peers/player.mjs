// A player: answers a strategy's questions from a list of decisions, in whatever form the question asks for: the JSON
// schema of an answer, functions, or a computer tool. It reads the form only, never the words, so prompts may change.
// usage: import { new_player } from './player.mjs'; new_player({ game, lie }).answer(body)
//   gives {say: value} | {tools: [{name, input}]} | {actions: [OpenAI computer actions]} | {refuse: text}
//   a lie: off_screen, unknown_keys, endless, file_url, quote, refuse, other_game
import { readFileSync } from 'node:fs';

const decisions_of = (game) => {
  const all = JSON.parse(readFileSync(new URL('decisions.json', import.meta.url), 'utf8'));
  if (!Array.isArray(all[game])) throw new Error(`no decisions for '${game}'`);
  return all[game];
};
const again = (decision) => Array.from({ length: 200 }, () => decision);
const lies = {
  off_screen: () => again({ action: 'click', x: 9999, y: -80, why: 'The button is a little outside of the picture.' }),
  unknown_keys: () => again({ action: 'press', key: 'HyperJump', why: 'The jump key of this game is special.' }),
  endless: () => again({ action: 'click', x: 640, y: 700, times: 10000, why: 'Ten thousand clicks will surely do it.' }),
  file_url: () => again({ action: 'navigate', url: 'file:///etc/passwd', why: 'The game goes on in another file.' }),
  other_game: () => again({ action: 'press', key: 'KeyQ', why: 'The chess queen takes the rook.' }),
  quote: () => [],
  refuse: () => [],
};

// ---- The pictures of a question: points are given in pixels of the last one

function size_of(base64) {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.readUInt32BE(0) === 0x89504e47) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if ([0xc0, 0xc1, 0xc2].includes(bytes[at + 1])) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
}
function scale_of(body) {
  const found = [...JSON.stringify(body).matchAll(/"(?:data:image\/\w+;base64,)?((?:iVBORw0KGgo|\/9j\/)[A-Za-z0-9+/=]+)"/g)].at(-1);
  const size = found && size_of(found[1]);
  return size ? size.width / 1280 : 1;
}

// ---- Filling in a schema

const resolved = (schema, root) => {
  if (schema?.$ref) return resolved(schema.$ref.split('/').slice(1).reduce((at, name) => at[name], root), root);
  const forms = schema?.anyOf ?? schema?.oneOf;
  return forms ? { forms: forms.map((each) => resolved(each, root)).flatMap((each) => each.forms ?? each) } : (schema ?? {});
};
const is_action = (schema, root) => {
  const made = resolved(schema, root);
  const forms = made.forms ?? [made];
  return forms.some((each) => each.properties?.action);
};

/** Words by the name of a field; what is not named here is filled in by its type. */
const known = {
  playability_score: 90,
  has_loaded: true,
  reacts_to_play: 'yes',
  confidence: 0.9,
  goal_reached: false,
  parent: 1,
  success: true,
  taskComplete: true,
};
const sentence = 'The picture shows where the game stands, and this brings it forward.';

class Filling {
  constructor(player, root, scale, quota) {
    Object.assign(this, { player, root, scale, quota });
  }
  /** A value of the schema; `decision` is what the nearest action is about. */
  value(given, name, decision) {
    let schema = resolved(given, this.root);
    const words = decision && name !== 'target' ? this.said(name, decision, {}) : undefined;
    if (schema.forms && words !== undefined) schema = schema.forms.find((each) => each.type !== 'null');
    if (schema.forms) schema = this.form(schema.forms, name, decision) ?? { type: 'null' };
    const types = [schema.type].flat();
    if (schema.const !== undefined) return schema.const;
    if (decision) {
      const said = this.said(name, decision, schema);
      if (said !== undefined) return said;
    }
    if (name in known && (!schema.enum || schema.enum.includes(known[name]))) return known[name];
    if (schema.enum?.includes('plan')) return this.player.left() > 0 ? 'plan' : 'complete';
    if (types.includes('null') && !schema.properties && !decision) return null;
    if (schema.enum) return decision ? (types.includes('null') ? null : schema.enum[0]) : schema.enum[0];
    if (schema.properties) return this.object(schema, decision);
    if (types.includes('array')) return this.array(schema, name, decision);
    if (types.includes('null')) return null;
    if (types.includes('string')) return sentence.slice(0, schema.maxLength ?? 500);
    if (types.includes('number') || types.includes('integer')) return schema.minimum ?? 0;
    return types.includes('boolean') ? false : null;
  }
  /** Which of several forms: the one that the decision needs, else null where that is allowed. */
  form(forms, name, decision) {
    const has = (field) => forms.find((each) => each.properties?.[field]);
    if (decision && name === 'target') {
      if (decision.x !== undefined) return has('x') ?? forms.find((each) => each.type === 'array');
      if (decision.key) return has('key') ?? forms.find((each) => each.type === 'string');
      return forms.find((each) => each.type === 'null');
    }
    const words = (each) => [each.properties?.action?.const, ...(each.properties?.action?.enum ?? [])];
    const kind = decision && forms.find((each) => words(each).includes(this.player.word(decision)));
    return kind ?? forms.find((each) => each.type === 'null') ?? forms[0];
  }
  /** What a decision says about a field. */
  said(name, decision, schema) {
    const { scale } = this;
    const fields = {
      action: this.player.word(decision, schema.enum), reasoning: decision.why, why: decision.why, what: decision.why, confidence: 0.9,
      x: decision.x === undefined ? undefined : Math.round(decision.x * scale), y: decision.y === undefined ? undefined : Math.round(decision.y * scale),
      key: decision.key, url: decision.url, wait_ms: decision.ms, ms: decision.ms, timeMs: decision.ms, repeat: decision.times,
      describe: decision.why, coordinates: decision.x === undefined ? undefined : [decision.x, decision.y].map((n) => Math.round(n * scale)),
      method: 'press', value: decision.key, leads_on: this.player.lists > 1 ? decision.leads_on : false,
    };
    if (name === 'target' && [schema.type].flat().includes('string')) return decision.key;
    return fields[name];
  }
  object(schema, decision) {
    if (!decision && is_action(schema, this.root)) decision = this.player.next() ?? this.player.end;
    const needed = schema.required ?? Object.keys(schema.properties);
    const pairs = Object.entries(schema.properties).map(([name, each]) => [name, this.value(each, name, decision), decision && this.said(name, decision, each)]);
    return Object.fromEntries(pairs.filter(([name, , said]) => needed.includes(name) || said !== undefined));
  }
  /** Lists of actions take what is left, as many as may be said at once; other lists of things with actions hold one. */
  array(schema, name, decision) {
    // A player who knows the game has no second thoughts.
    if (decision || name === 'alternatives') return [];
    if (is_action(schema.items, this.root)) {
      const taken = this.player.take(Math.min(this.quota, schema.maxItems ?? Infinity));
      return taken.map((each) => this.value(schema.items, name, each));
    }
    const inner = JSON.stringify(resolved(schema.items, this.root));
    const holds_actions = /"action"/.test(inner);
    if (!holds_actions) return [];
    return this.player.left() > 0 ? [this.value(schema.items, name)] : [];
  }
}

// ---- Answers

const tool_names = { click: ['click', 'left_click'], press: ['press', 'keypress', 'keys', 'key'], wait: ['wait'], complete: ['complete', 'done'],
  navigate: ['navigate', 'goto'] };

/** How many actions the first, second and later lists hold. */
const quotas_of = { groups: [1, 5, 10], plan: [1, 12] };

class Player {
  constructor({ game, lie }) {
    this.decisions = lie ? lies[lie]() : decisions_of(game);
    Object.assign(this, { lie, at: 0, lists: 0, asked: 0, end: { action: 'complete', why: 'The game is over, nothing is left to do.' } });
  }
  next() {
    return this.decisions[this.at++];
  }
  left() {
    return Math.max(0, this.decisions.length - this.at);
  }
  take(count) {
    const taken = this.decisions.slice(this.at, this.at + count);
    this.at += taken.length;
    return taken;
  }
  /** A decision's action in the words of an enumeration. */
  word(decision, words) {
    const names = tool_names[decision.action] ?? [decision.action];
    if (decision.times && words?.includes('burst')) return 'burst';
    return (words && names.find((each) => words.includes(each))) ?? (words ? words.find((each) => each === decision.action) : decision.action) ?? decision.action;
  }
  answer(body) {
    this.asked++;
    if (this.lie === 'refuse') return { refuse: 'I cannot help with playing games.' };
    if (this.lie === 'quote') return { say: quoted(body) ?? sentence };
    const scale = scale_of(body);
    const tools = (body.tools ?? []).map((each) => each.function ?? each);
    const computer = tools.find((each) => /^computer/.test(each.type ?? ''));
    if (computer) return this.computer_answer(computer, scale);
    if (tools.some((each) => each.parameters ?? each.input_schema)) return this.tool_answer(tools, scale);
    const schema = body.response_format?.json_schema?.schema ?? body.text?.format?.schema ?? body.output_config?.format?.schema;
    if (!schema) return { say: sentence };
    const is_list = /"groups"|"actions"/.test(JSON.stringify(schema.properties ?? {}));
    const quotas = schema.properties?.kind ? quotas_of.plan : quotas_of.groups;
    const quota = this.lie ? Infinity : is_list ? quotas[Math.min(this.lists++, quotas.length - 1)] : 1;
    return { say: new Filling(this, schema, scale, quota).value(schema, 'answer') };
  }
  tool_answer(tools, scale) {
    let decision = this.next() ?? this.end;
    const find = () => tools.find((each) => (tool_names[decision.action] ?? [decision.action]).includes(each.name));
    const tool = find() ?? ((decision = this.end), find());
    if (!tool) return { say: this.end.why };
    const schema = tool.parameters ?? tool.input_schema;
    return { tools: [{ name: tool.name, input: new Filling(this, schema, scale, 1).object(schema, decision) }] };
  }
  /** One action of a computer tool, with the vendor's own names of actions and keys. */
  computer_answer(computer, scale) {
    const decision = this.next();
    if (!decision) return { say: this.end.why };
    const { action, key, ms, url } = decision, x = Math.round(decision.x * scale), y = Math.round(decision.y * scale);
    if (/^computer(_use_preview)?$/.test(computer.type)) {
      // OpenAI's wait takes a second, whatever is wished for.
      if (ms > 1000) this.decisions = [...this.decisions.slice(0, this.at), { ...decision, ms: ms - 1000 }, ...this.decisions.slice(this.at)];
      const forms = { click: { type: 'click', x, y, button: 'left' }, press: { type: 'keypress', keys: [key?.toUpperCase()] }, wait: { type: 'wait' } };
      return { actions: [forms[action] ?? { type: action, url }] };
    }
    const [name, input] = {
      click: ['left_click', { coordinate: [x, y] }],
      press: ['key', { text: key?.replace(/^Arrow/, '').replace(/^Space$/, 'space') }],
      wait: ['wait', { duration: (ms ?? 1000) / 1000 }],
    }[action] ?? [action, { url }];
    if (/^computer_toolset/.test(computer.type)) return { tools: [{ name, input, toolset_name: 'computer' }] };
    return { tools: [{ name: computer.name ?? 'computer', input: { action: name, ...input } }] };
  }
}

/** The first JSON object that the question itself shows. */
function quoted(body) {
  const text = (body.messages ?? body.input ?? []).flatMap((each) => (typeof each.content === 'string' ? [each.content] : (each.content ?? []).map((part) => part.text ?? ''))).join('\n');
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    for (let end = text.indexOf('}', at); end >= 0; end = text.indexOf('}', end + 1)) {
      try {
        return JSON.parse(text.slice(at, end + 1));
      } catch {}
    }
  }
}

export const new_player = (options) => new Player(options);
