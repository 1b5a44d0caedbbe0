// Judges bodies by what the vendors publish: OpenAI's by ajv against the schemas of tests/data, where a misspelt key is
// a violation too, and both vendors' by `tsc --strict` against the types of their own packages.
// usage: node validate_bodies.mjs FILE.jsonl... (or stdin)    prints {"checked":N,"ajv":{},"tsc":{},"violations":[]}
//        node validate_bodies.mjs --self-test    every bad body of sample_bodies.jsonl caught, every good one passed
//   a line is {dialect, body}: openai-chat, openai-responses, anthropic-messages; "kind":"answer" judges an answer
// Exit 0: no violation, 1: violations, 3: could not check.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import add_formats from 'ajv-formats';

const here = dirname(fileURLToPath(import.meta.url));
const tests = dirname(here);
const targets = {
  'openai-chat': { schema: 'CreateChatCompletionRequest', type: 'OpenAI.Chat.ChatCompletionCreateParams' },
  'openai-responses': { schema: 'CreateResponse', type: 'OpenAI.Responses.ResponseCreateParams' },
  'anthropic-messages': { type: 'Anthropic.MessageCreateParams' },
  'openai-chat answer': { schema: 'CreateChatCompletionResponse', type: 'OpenAI.Chat.ChatCompletion' },
  'openai-responses answer': { schema: 'Response', type: "Omit<OpenAI.Responses.Response, 'output_text'>" },
  'anthropic-messages answer': { type: 'Anthropic.Message' },
};

// ---- Schemas: oneOf read as anyOf (the published unions overlap), objects closed where they are used

const is_object = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function readable(schema) {
  if (Array.isArray(schema)) return schema.map(readable);
  if (!is_object(schema)) return schema;
  const { oneOf, discriminator, example, examples, ...rest } = schema;
  const read = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      ['enum', 'default', 'const', 'required'].includes(key) ? value : readable(value),
    ]),
  );
  if (Array.isArray(oneOf)) read.anyOf = readable(oneOf);
  if (!read.nullable || read.type) return read;
  const { nullable, ...not_null } = read;
  return { anyOf: [not_null, { type: 'null' }] };
}

/** Refuses keys that no schema for this place lists. A schema that says nothing of keys stays open. */
function closed(schema) {
  if (!is_object(schema)) return schema;
  const here = descend(schema);
  return schema.$ref || schema.anyOf || schema.allOf || schema.properties
    ? { ...here, unevaluatedProperties: false }
    : here;
}

/** Closes what lies inside; the parts of a union or an intersection describe the same place and stay open. */
function descend(schema) {
  if (!is_object(schema)) return schema;
  const inner = { ...schema };
  if (inner.properties)
    inner.properties = Object.fromEntries(Object.entries(inner.properties).map(([name, each]) => [name, closed(each)]));
  if (is_object(inner.items)) inner.items = closed(inner.items);
  if (is_object(inner.additionalProperties)) inner.additionalProperties = closed(inner.additionalProperties);
  for (const union of ['anyOf', 'allOf']) if (inner[union]) inner[union] = inner[union].map(descend);
  return inner;
}

function schema_checks() {
  const { components } = readable(JSON.parse(readFileSync(join(tests, 'data/openai-api-schemas.json'), 'utf8')));
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, descend(schema)]),
  );
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false });
  add_formats(ajv);
  ajv.addFormat('unixtime', true).addSchema({ $id: 'openai', components: { schemas } });
  const compiled = new Map();
  return (name, body) => {
    if (!compiled.has(name))
      compiled.set(name, ajv.compile({ $ref: `openai#/components/schemas/${name}`, unevaluatedProperties: false }));
    const check = compiled.get(name);
    if (check(body)) return null;
    // Of a union every branch complains; the complaint from deepest inside is about the branch that was meant.
    const deepest = Math.max(...check.errors.map((each) => each.instancePath.length));
    const told = check.errors
      .filter((each) => each.instancePath.length === deepest)
      .map(
        ({ instancePath, message, params }) =>
          `${instancePath || '/'} ${message}${params.unevaluatedProperty ? `: ${params.unevaluatedProperty}` : ''}`,
      );
    return [...new Set(told)].slice(0, 4).join('; ');
  };
}

// ---- Types: one literal a line, so that an error's line names its body

/** Pictures as long as they need to be to be told apart from nothing. */
const shorter = (value) =>
  JSON.stringify(value, (key, each) => (typeof each === 'string' && each.length > 200 ? each.slice(0, 200) : each));

function type_checks(entries) {
  const folder = mkdtempSync(join(tmpdir(), 'qa-bodies-'));
  try {
    symlinkSync(join(tests, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const lines = entries.map(
      ({ target, body }, i) => `export const b${i}: ${target.type}${streaming(target, body)} = ${shorter(body)};`,
    );
    writeFileSync(
      join(folder, 'bodies.ts'),
      ["import OpenAI from 'openai'; import Anthropic from '@anthropic-ai/sdk';", ...lines].join('\n') + '\n',
    );
    const modules = ['--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext'];
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false', ...modules];
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(tests, 'node_modules/typescript/bin/tsc'), ...options, 'bodies.ts'],
      { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    const found = new Map();
    for (const [, line, text] of stdout.matchAll(/^bodies\.ts\((\d+),\d+\): (error .*(?:\n .*)*)/gm)) {
      if (line === '1') throw new Error(`tsc: ${text}`);
      found.set(Number(line) - 2, text.split('\n').slice(0, 3).join(' ').slice(0, 400));
    }
    if (status !== 0 && found.size === 0) throw new Error(`tsc: ${stdout}${stderr}`);
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Requests have a type for each of stream and no stream; the union of both hides excess keys from tsc's messages. */
const streaming = (target, body) =>
  target.type.endsWith('Params') ? (body?.stream ? 'Streaming' : 'NonStreaming') : '';

// ---- Judging

function judge(lines) {
  const entries = lines.map(({ dialect, kind, body, ...rest }) => {
    const target = targets[kind === 'answer' ? `${dialect} answer` : dialect];
    if (!target) throw new Error(`no such dialect: ${dialect}`);
    return { ...rest, dialect, body, target };
  });
  const by_schema = schema_checks(),
    by_type = type_checks(entries);
  const counts = { ajv: { checked: 0, violations: 0 }, tsc: { checked: entries.length, violations: by_type.size } };
  const violations = [];
  for (const [i, { dialect, name, target, body }] of entries.entries()) {
    const said = { ajv: target.schema ? by_schema(target.schema, body) : null, tsc: by_type.get(i) ?? null };
    if (target.schema) counts.ajv.checked++;
    if (said.ajv) counts.ajv.violations++;
    for (const by of ['ajv', 'tsc'])
      if (said[by]) violations.push({ line: i + 1, name, dialect, by, message: said[by] });
  }
  return { checked: entries.length, ...counts, violations };
}

const parse = (text) =>
  text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line));

function self_test() {
  const cases = parse(readFileSync(join(here, 'sample_bodies.jsonl'), 'utf8'));
  const { violations, ...counts } = judge(cases);
  const wrong = [];
  for (const [i, { name, caught_by }] of cases.entries()) {
    const found = violations
      .filter((each) => each.line === i + 1)
      .map((each) => each.by)
      .join(' ');
    if (found !== caught_by)
      wrong.push({
        name,
        expected: caught_by,
        found,
        messages: violations.filter((each) => each.line === i + 1).map((each) => each.message),
      });
  }
  console.log(JSON.stringify({ cases: cases.length, ...counts, wrong }));
  console.log(`${cases.length - wrong.length} passed, ${wrong.length} failed`);
  return wrong.length === 0;
}

try {
  const files = process.argv.slice(2);
  if (files[0] === '--self-test') process.exit(self_test() ? 0 : 1);
  const report = judge((files.length ? files : [0]).flatMap((file) => parse(readFileSync(file, 'utf8'))));
  console.log(JSON.stringify(report));
  process.exit(report.violations.length ? 1 : 0);
} catch (error) {
  console.error(`validate_bodies: ${error.message}`);
  process.exit(3);
}
