// OpenAI-compatible server over node-llama-cpp and the random model of make_gguf.mjs: answers nobody scripted, at $0.
// json_schema becomes a real llama.cpp grammar, so answers have the schema's shape and absurd contents.
// usage: node tiny_model/serve.mjs [MODEL.gguf]    prints {"ready":true,"port":P,"model":"tiny"}
//   base_url http://127.0.0.1:P/v1; up to eight requests at once, in one batch on one thread
//   `seed` makes an answer repeatable; without one request n is answered with seed n
//   GET /__answers lists {id, text, finish, usage} of all answers given, in their order
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLlama, LlamaCompletion, LlamaLogLevel } from 'node-llama-cpp';
import { announce, listen } from '../lifeline.mjs';
import { make_gguf } from './make_gguf.mjs';

const prompt_limit = 512; // tokens of the prompt's end that the model reads: it understands none of them
const answer_limit = 1024;
const at_once = 8; // questions that are worked on in one batch

let path = process.argv[2];
if (!path) {
  const folder = mkdtempSync(join(tmpdir(), 'qa-tiny-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync((path = join(folder, 'tiny.gguf')), make_gguf());
}

const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: 1,
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath: path });
const context = await model.createContext({ contextSize: 2048, threads: 1, sequences: at_once });
const free = Array.from({ length: at_once }, () => {
  const sequence = context.getSequence();
  return { sequence, completion: new LlamaCompletion({ contextSequence: sequence }) };
});
const waiting = [];
const grammars = new Map();
const answers = [];
let serial = 0;

async function grammar_for(format) {
  if (!format || format.type === 'text') return undefined;
  const schema = format.type === 'json_object' ? null : format.json_schema?.schema;
  if (schema === undefined) throw new Error(`no grammar for response_format ${format.type}`);
  const key = JSON.stringify(schema);
  if (!grammars.has(key))
    grammars.set(
      key,
      schema === null
        ? await llama.getGrammarFor('json')
        : // It knows unions by their other name only, and takes what it does not know for null.
          await llama.createGrammarForJsonSchema(JSON.parse(key.replaceAll('"anyOf":', '"oneOf":'))),
    );
  return grammars.get(key);
}

const text_of = ({ role, content }) =>
  `${role}: ${typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '[image]').join(' ')}`;

async function complete(body, { sequence, completion }, signal) {
  const number = ++serial;
  const prompt = model.tokenize((body.messages ?? []).map(text_of).join('\n') + '\nassistant: ');
  const limit = Math.min(body.max_completion_tokens ?? body.max_tokens ?? 256, answer_limit);
  let made = 0;
  await sequence.clearHistory();
  const { response, metadata } = await completion.generateCompletionWithMeta(prompt.slice(-prompt_limit), {
    grammar: await grammar_for(body.response_format),
    maxTokens: limit,
    temperature: body.temperature ?? 1,
    seed: body.seed ?? number,
    signal,
    onToken: (tokens) => {
      made += tokens.length;
    },
  });
  const finish_reason = metadata.stopReason === 'maxTokens' ? 'length' : 'stop';
  const usage = { prompt_tokens: prompt.length, completion_tokens: made, total_tokens: prompt.length + made };
  const choices = [
    { index: 0, message: { role: 'assistant', content: response, refusal: null }, logprobs: null, finish_reason },
  ];
  answers.push({ id: `chatcmpl-${number}`, text: response, finish: finish_reason, usage });
  return {
    id: `chatcmpl-${number}`,
    object: 'chat.completion',
    created: 1700000000,
    model: body.model ?? 'tiny',
    choices,
    usage,
  };
}

function send(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function send_stream(response, { choices: [{ message, finish_reason }], usage, ...rest }, options) {
  const chunk = (choices, extra) =>
    `data: ${JSON.stringify({ ...rest, object: 'chat.completion.chunk', choices, ...extra })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk([{ index: 0, delta: { role: 'assistant', content: message.content }, finish_reason: null }]));
  response.write(chunk([{ index: 0, delta: {}, finish_reason }]));
  if (options?.include_usage) response.write(chunk([], { usage }));
  response.end('data: [DONE]\n\n');
}

/** Runs `work` with a sequence of its own, once one is free. */
async function with_sequence(work) {
  const mine = free.pop() ?? (await new Promise((done) => waiting.push(done)));
  try {
    return await work(mine);
  } finally {
    const next = waiting.shift();
    if (next) next(mine);
    else free.push(mine);
  }
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  if (request.url === '/__answers') return send(response, 200, answers);
  if (request.url.endsWith('/models'))
    return send(response, 200, {
      object: 'list',
      data: [{ id: 'tiny', object: 'model', created: 1700000000, owned_by: 'tests' }],
    });
  if (!request.url.endsWith('/chat/completions'))
    return send(response, 404, { error: { message: `no such path: ${request.url}` } });
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    const body = JSON.parse(text);
    const answer = await with_sequence((mine) => complete(body, mine, gone.signal));
    if (body.stream) send_stream(response, answer, body.stream_options);
    else send(response, 200, answer);
  } catch (error) {
    if (response.destroyed) return;
    const message = String(error?.message ?? error);
    send(response, 400, { error: { message, type: 'invalid_request_error', param: null, code: null } });
  }
});
announce({ port: await listen(server), model: 'tiny' });
