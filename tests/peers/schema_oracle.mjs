// What the official SDKs think of compiled schemas: their own transforms must leave them as they are.
// usage: qa-host tests/peers/schema_samples.lua | node schema_oracle.mjs    one JSON Schema a line on stdin
// Prints one JSON line for a schema that a transform refuses or changes, order of properties included, and at the end
//   {"schemas":N,"openai_changed":N,"anthropic_changed":N}; exit code 1 when anything was refused or changed, or nothing read.
import { isDeepStrictEqual } from 'node:util';
import { createInterface } from 'node:readline';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';

/** Without a type beside values that say it: OpenAI asks for it, Anthropic's transform takes it away. */
function untyped(schema) {
  if (Array.isArray(schema)) return schema.map(untyped);
  if (schema === null || typeof schema !== 'object') return schema;
  const { type, ...rest } = schema;
  const values = schema.enum ?? ('const' in schema ? [schema.const] : []);
  const is_said = values.length > 0 && values.every((value) => typeof value === type);
  return Object.fromEntries(Object.entries(is_said ? rest : schema).map(([key, value]) => [key, key === 'enum' ? value : untyped(value)]));
}

const vendors = {
  openai: { transform: toStrictJsonSchema, same: isDeepStrictEqual },
  anthropic: { transform: transformJSONSchema, same: (a, b) => isDeepStrictEqual(untyped(a), untyped(b)) },
};

/** Names of properties in their order, at every depth: models answer in it. */
function order(schema) {
  if (Array.isArray(schema)) return schema.map(order);
  if (schema === null || typeof schema !== 'object') return [];
  const { properties = {}, items, anyOf = [] } = schema;
  return [Object.keys(properties), ...Object.values(properties).map(order), order(items ?? []), order(anyOf)];
}

/** Why the transform does not leave the schema alone, or undefined. */
function objection({ transform, same }, schema) {
  try {
    const result = transform(structuredClone(schema));
    if (!same(result, schema)) return `changed to ${JSON.stringify(result)}`;
    if (!isDeepStrictEqual(order(result), order(schema))) return 'order of properties changed';
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

const counts = { schemas: 0, openai_changed: 0, anthropic_changed: 0 };
for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const schema = JSON.parse(line);
  counts.schemas++;
  for (const vendor in vendors) {
    const message = objection(vendors[vendor], schema);
    if (message === undefined) continue;
    counts[`${vendor}_changed`]++;
    console.log(JSON.stringify({ line: counts.schemas, vendor, message, schema }));
  }
}
console.log(JSON.stringify(counts));
process.exitCode = counts.schemas > 0 && counts.openai_changed + counts.anthropic_changed === 0 ? 0 : 1;
