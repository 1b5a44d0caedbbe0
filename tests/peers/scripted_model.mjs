// Scripted model on loopback for what aimock cannot say: computer calls of both OpenAI generations, tool use of
// Anthropic's toolsets, cached, cache-write and reasoning tokens; usage exactly as scripted, streamed or not.
// usage: node scripted_model.mjs [SCRIPT.json]    prints {"ready":true,"port":P}
//   base_url http://127.0.0.1:P/v1: chat/completions, responses, responses/input_tokens
//   base_url http://127.0.0.1:P: v1/messages, v1/messages/count_tokens
//   PUT /__script replaces the rules; GET /__bodies lists {dialect, path, header_names, body} of every POST;
//   GET /__spans lists {from, to} of every POST, in ms: when it came, and when it was answered
// A script is a list of rules; the first that fits answers:
//   {when, model, times}   the last user turn contains `when`; the same model; at most `times` answers (without: any)
//   {player: {game, lie}}  a player of a fixture game answers instead (player.mjs), in the form that is asked for
//   {say: "text" | value}  {refuse: "text"}  {actions: [OpenAI computer actions], safety_checks: []}
//   {tools: [{name, input, toolset_name}]}  {finish: "length" | "content_filter"}  {delay_ms}  {status, body, headers}
//   {usage: {input, cached, cache_write, output, reasoning} | null}   input counts all that was sent, cached and
//     cache_write are parts of it; reasoning is part of output; null leaves usage out
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { announce, listen } from './lifeline.mjs';
import { new_player } from './player.mjs';

let rules = process.argv[2] ? JSON.parse(readFileSync(process.argv[2], 'utf8')) : [];
let bodies = [];
const spans = [];
let serial = 0;

// ---- Reading a request

const content_text = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

function last_user_text(body) {
  if (typeof body.input === 'string') return body.input;
  return content_text((body.messages ?? body.input ?? []).filter((each) => each.role === 'user').at(-1)?.content);
}

/** The rule that a player makes of a request; it stays in its seat. */
function played(rule, body) {
  if (!rule?.player) return rule;
  rule.seat ??= new_player(rule.player);
  return { ...rule, ...rule.seat.answer(body) };
}

function rule_for(body) {
  const text = last_user_text(body);
  return rules.find(
    (each) =>
      text.includes(each.when ?? '') &&
      (each.model ?? body.model) === body.model &&
      (each.used ?? 0) < (each.times ?? Infinity),
  );
}

const counts = ({ usage }) =>
  usage === null ? null : { input: 10, cached: 0, cache_write: 0, output: 2, reasoning: 0, ...usage };
const words = ({ say }) => (say === undefined ? null : typeof say === 'string' ? say : JSON.stringify(say));
const without_nothing = (value) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));

// ---- OpenAI chat

const chat = {
  usage(rule) {
    const n = counts(rule);
    return n === null
      ? undefined
      : {
          prompt_tokens: n.input,
          completion_tokens: n.output,
          total_tokens: n.input + n.output,
          prompt_tokens_details: { cached_tokens: n.cached, cache_write_tokens: n.cache_write },
          completion_tokens_details: { reasoning_tokens: n.reasoning },
        };
  },
  answer(rule, body, id) {
    const tool_calls = rule.tools?.map((tool, i) => ({
      id: `call_${id}_${i}`,
      type: 'function',
      function: { name: tool.name, arguments: JSON.stringify(tool.input) },
    }));
    const message = without_nothing({
      role: 'assistant',
      content: words(rule),
      refusal: rule.refuse ?? null,
      tool_calls,
    });
    const finish_reason = rule.finish ?? (tool_calls ? 'tool_calls' : 'stop');
    const choices = [{ index: 0, message, logprobs: null, finish_reason }];
    return without_nothing({
      id: `chatcmpl-${id}`,
      object: 'chat.completion',
      created: 1700000000,
      model: body.model,
      choices,
      usage: this.usage(rule),
    });
  },
  *events(rule, body, id) {
    const {
      choices: [{ message, finish_reason }],
      usage,
      ...rest
    } = this.answer(rule, body, id);
    const chunk = (choices, extra = {}) => ({ data: { ...rest, object: 'chat.completion.chunk', choices, ...extra } });
    const part = (delta, finish = null) => chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }]);
    yield part({ role: 'assistant', content: '' });
    for (const piece of pieces(message.content)) yield part({ content: piece });
    if (message.refusal) yield part({ refusal: message.refusal });
    if (message.tool_calls) yield part({ tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) });
    yield part({}, finish_reason);
    if (body.stream_options?.include_usage && usage) yield chunk([], { usage });
    yield { data: '[DONE]' };
  },
};

// ---- OpenAI Responses

const responses = {
  usage(rule) {
    const n = counts(rule);
    return n === null
      ? undefined
      : {
          input_tokens: n.input,
          input_tokens_details: { cached_tokens: n.cached, cache_write_tokens: n.cache_write },
          output_tokens: n.output,
          output_tokens_details: { reasoning_tokens: n.reasoning },
          total_tokens: n.input + n.output,
        };
  },
  /** One action for computer_use_preview, the list for computer. */
  computer_call(rule, body, id) {
    const type = body.tools
      ?.map((tool) => tool.type)
      .find((each) => ['computer', 'computer_use_preview'].includes(each));
    if (!type) throw new Error('the request declares no computer tool');
    if (type === 'computer_use_preview' && rule.actions.length !== 1)
      throw new Error('computer_use_preview takes one action per answer');
    const what = type === 'computer' ? { actions: rule.actions } : { action: rule.actions[0] };
    return {
      type: 'computer_call',
      id: `cu_${id}`,
      call_id: `call_${id}`,
      ...what,
      pending_safety_checks: rule.safety_checks ?? [],
      status: 'completed',
    };
  },
  output(rule, body, id) {
    const items = [],
      text = words(rule);
    const status = rule.finish ? 'incomplete' : 'completed';
    const message = (content) => ({ type: 'message', id: `msg_${id}`, role: 'assistant', status, content: [content] });
    if (text !== null) items.push(message({ type: 'output_text', text, annotations: [], logprobs: [] }));
    if (rule.refuse) items.push(message({ type: 'refusal', refusal: rule.refuse }));
    for (const [i, tool] of (rule.tools ?? []).entries()) {
      items.push({
        type: 'function_call',
        id: `fc_${id}_${i}`,
        call_id: `call_${id}_${i}`,
        name: tool.name,
        arguments: JSON.stringify(tool.input),
        status: 'completed',
      });
    }
    if (rule.actions) items.push(this.computer_call(rule, body, id));
    return items;
  },
  answer(rule, body, id) {
    const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[rule.finish];
    return without_nothing({
      id: `resp_${id}`,
      object: 'response',
      created_at: 1700000000,
      status: reason ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: reason ? { reason } : null,
      instructions: body.instructions ?? null,
      metadata: body.metadata ?? {},
      model: body.model,
      output: this.output(rule, body, id),
      parallel_tool_calls: body.parallel_tool_calls ?? true,
      previous_response_id: body.previous_response_id ?? null,
      temperature: body.temperature ?? 1,
      tool_choice: body.tool_choice ?? 'auto',
      tools: body.tools ?? [],
      top_p: body.top_p ?? 1,
      usage: this.usage(rule),
    });
  },
  *events(rule, body, id) {
    let sequence_number = 0;
    const event = (type, fields) => ({ event: type, data: { type, sequence_number: sequence_number++, ...fields } });
    const whole = this.answer(rule, body, id);
    const { usage, ...begun } = { ...whole, status: 'in_progress', output: [] };
    yield event('response.created', { response: begun });
    yield event('response.in_progress', { response: begun });
    for (const [output_index, item] of whole.output.entries()) {
      const part = item.content?.[0],
        at = { item_id: item.id, output_index, content_index: 0 };
      yield event('response.output_item.added', {
        output_index,
        item: part ? { ...item, status: 'in_progress', content: [] } : item,
      });
      if (part)
        yield event('response.content_part.added', {
          ...at,
          part: { ...part, ...(part.text === undefined ? { refusal: '' } : { text: '' }) },
        });
      for (const delta of pieces(part?.text)) yield event('response.output_text.delta', { ...at, delta, logprobs: [] });
      if (part?.refusal) yield event('response.refusal.delta', { ...at, delta: part.refusal });
      if (part)
        yield part.text === undefined
          ? event('response.refusal.done', { ...at, refusal: part.refusal })
          : event('response.output_text.done', { ...at, text: part.text, logprobs: [] });
      if (part) yield event('response.content_part.done', { ...at, part });
      yield event('response.output_item.done', { output_index, item });
    }
    yield event(`response.${whole.status}`, { response: whole });
  },
};

// ---- Anthropic messages: input_tokens leaves the cached classes out

const messages = {
  usage(rule) {
    const n = counts(rule);
    return n === null
      ? undefined
      : {
          input_tokens: n.input - n.cached - n.cache_write,
          cache_creation_input_tokens: n.cache_write,
          cache_read_input_tokens: n.cached,
          output_tokens: n.output,
          output_tokens_details: { thinking_tokens: n.reasoning },
          cache_creation: null,
          inference_geo: null,
          server_tool_use: null,
          service_tier: 'standard',
          speed: 'standard',
        };
  },
  answer(rule, body, id) {
    const text = words(rule) ?? rule.refuse ?? null;
    const content = text === null ? [] : [{ type: 'text', text, citations: null }];
    for (const [i, tool] of (rule.tools ?? []).entries())
      content.push({ type: 'tool_use', id: `toolu_${id}_${i}`, ...tool, caller: { type: 'direct' } });
    const stop =
      { length: 'max_tokens', content_filter: 'refusal' }[rule.finish] ??
      (rule.refuse ? 'refusal' : rule.tools ? 'tool_use' : 'end_turn');
    const nothing = { container: null, diagnostics: null, stop_details: null, stop_sequence: null };
    return without_nothing({
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content,
      stop_reason: stop,
      ...nothing,
      usage: this.usage(rule),
    });
  },
  *events(rule, body, id) {
    const event = (type, fields) => ({ event: type, data: { type, ...fields } });
    const { content, stop_reason, usage, ...rest } = this.answer(rule, body, id);
    yield event('message_start', {
      message: { ...rest, content: [], stop_reason: null, usage: usage && { ...usage, output_tokens: 1 } },
    });
    for (const [index, block] of content.entries()) {
      yield event('content_block_start', {
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
      });
      if (index === 0) yield event('ping', {});
      for (const piece of pieces(block.text))
        yield event('content_block_delta', { index, delta: { type: 'text_delta', text: piece } });
      for (const piece of pieces(block.input && JSON.stringify(block.input)))
        yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } });
      yield event('content_block_stop', { index });
    }
    yield event('message_delta', {
      delta: { stop_reason, container: null, stop_details: null, stop_sequence: null },
      usage,
    });
    yield event('message_stop', {});
  },
};

/** The text in pieces of at most eight characters, surrogate pairs kept together. */
const pieces = (text) => text?.match(/[^]{1,8}/gu) ?? [];

// ---- Serving

const dialects = {
  'openai-chat': {
    path: /\/chat\/completions$/,
    ...chat,
    fail: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  },
  'openai-responses': {
    path: /\/responses$/,
    ...responses,
    fail: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  },
  'openai-count': {
    path: /\/responses\/input_tokens$/,
    answer: (rule) => ({ object: 'response.input_tokens', input_tokens: counts(rule).input }),
  },
  'anthropic-messages': {
    path: /\/v1\/messages$/,
    ...messages,
    fail: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  },
  'anthropic-count': {
    path: /\/v1\/messages\/count_tokens$/,
    answer: (rule) => ({ input_tokens: counts(rule).input }),
  },
};

function send(response, status, value, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

async function stream(response, events, id) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': id, 'request-id': id });
  for (const { event, data } of events) {
    response.write(
      `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
    await sleep(0);
  }
  response.end();
}

async function converse(request, response, text) {
  const path = request.url.split('?')[0];
  const [name, dialect] = Object.entries(dialects).find(([, each]) => each.path.test(path)) ?? [];
  if (!dialect) return send(response, 404, { error: { message: `no such path: ${path}` } });
  const fail = dialect.fail ?? dialects['openai-chat'].fail;
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return send(response, 400, fail('the body is not JSON'));
  }
  bodies.push({ dialect: name, path: request.url, header_names: Object.keys(request.headers), body });
  const found = rule_for(body),
    id = `req_${++serial}`;
  if (!found) return send(response, 404, fail('no rule fits this request'));
  if (dialect.events) found.used = (found.used ?? 0) + 1;
  const rule = dialect.events ? played(found, body) : found;
  await sleep(rule.delay_ms ?? 0);
  if (rule.status) return send(response, rule.status, rule.body ?? fail('as scripted'), rule.headers);
  try {
    if (body.stream) return await stream(response, [...dialect.events(rule, body, id)], id);
    return send(response, 200, dialect.answer(rule, body, id), {
      'x-request-id': id,
      'request-id': id,
      ...rule.headers,
    });
  } catch (error) {
    return send(response, 400, fail(error.message));
  }
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  if (request.url === '/__script') {
    rules = JSON.parse(text);
    send(response, 200, { rules: rules.length });
  } else if (request.url === '/__bodies') {
    if (request.method === 'DELETE') bodies = [];
    send(response, 200, bodies);
  } else if (request.url === '/__spans') {
    send(response, 200, spans);
  } else {
    const from = performance.now();
    await converse(request, response, text);
    spans.push({ from, to: performance.now() });
  }
});
announce({ port: await listen(server) });
