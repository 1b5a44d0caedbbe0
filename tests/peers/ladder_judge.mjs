// The second validator of what ladder.lua printed: ajv with every bound, on the text that the model's server says it gave.
// usage: node ladder_judge.mjs SAID ANSWERS.json...     prints "N answers, N accepted, N partial, N wrongly, N refused wrongly, N lost"
import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';

const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });
const nullable = (schema) => ({ anyOf: [schema, { type: 'null' }] });
const side = { type: 'number', minimum: 0, exclusiveMaximum: 64 };
const schemas = {
  groups: object({
    groups: {
      type: 'array',
      maxItems: 9,
      items: object({ action: { enum: ['click', 'wait'] }, times: { anyOf: [{ const: 'once' }, { type: 'number', minimum: 0, maximum: 99 }] } }),
    },
  }),
  action: object({
    action: { enum: ['click', 'press', 'wait'] },
    repeats: { type: 'integer', minimum: 1, maximum: 5000 },
    key: nullable({ type: 'string', maxLength: 8 }),
    is_sure: { type: 'boolean' },
  }),
  place: object({
    how: { anyOf: [{ const: 'fast' }, { type: 'integer', minimum: 1, maximum: 9 }] },
    at: nullable(object({ x: side, y: side })),
  }),
  verdict: object({
    score: { type: 'integer', minimum: 0, maximum: 100 },
    kinds: { type: 'array', items: { enum: ['frozen', 'blank', 'popup'] }, maxItems: 4 },
  }),
};
const ajv = new Ajv({ allErrors: false });
const checks = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The longest beginning that is an answer once its list is closed. */
function closed_part(text) {
  for (let end = text.length; end > 0; end--) {
    const value = parsed(`${text.slice(0, end)}]}`);
    if (value !== undefined) return value;
  }
}

/** As Lua has it: no null members, an empty list is an empty table, and 0 has no sign. */
function plain(value) {
  if (typeof value === 'number') return value + 0;
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([key, each]) => [key, plain(each)]));
}

const [said, ...journals] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
const lines = said.trim().split('\n').map((line) => JSON.parse(Buffer.from(line, 'hex')));
const counts = { accepted: 0, partial: 0, wrongly: 0, refused_wrongly: 0 };
for (const { schema, value, text, kind, is_partial } of lines) {
  const meant = is_partial ? closed_part(text) : parsed(text);
  const fits = meant !== undefined && checks[schema](meant);
  if (value === undefined) {
    // JavaScript takes 5e-400 for the whole number 0, and is no judge of it.
    if (!fits || kind === 'llm_truncated' || /\d[eE]-/.test(text)) continue;
    counts.refused_wrongly++;
    console.log(`refused wrongly: ${schema} ${text}`);
    continue;
  }
  counts[is_partial ? 'partial' : 'accepted']++;
  if (fits && isDeepStrictEqual(plain(value), plain(meant))) continue;
  counts.wrongly++;
  console.log(`accepted wrongly: ${schema} ${text} as ${JSON.stringify(value)}`);
}
const given = new Map();
for (const { text } of journals.flatMap((each) => JSON.parse(each))) given.set(text, (given.get(text) ?? 0) + 1);
for (const { text } of lines) given.set(text, (given.get(text) ?? 0) - 1);
const lost = [...given.values()].filter((count) => count !== 0).length;
const { accepted, partial, wrongly, refused_wrongly } = counts;
console.log(`${lines.length} answers, ${accepted} accepted, ${partial} partial, ${wrongly} wrongly, ${refused_wrongly} refused wrongly, ${lost} lost`);
