// What fault_server.mjs says: whole answers, streams, and one function per mode, each of which answers one request.
// A mode is given {socket, row, id, target, body, secret, attempt, number, other_port, bytes_out}: `attempt` counts
// from 1 within MODE~TAG, `number` is what follows the dot in MODE.NUMBER. bill() counts a request as charged.
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';

const reasons = {
  200: 'OK',
  307: 'Temporary Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

// ---- What is said: heads, whole answers, chunks.

export function head(status, headers) {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}\r\n`),
  );
  return `HTTP/1.1 ${status} ${reasons[status] ?? 'Status'}\r\n${lines.join('')}\r\n`;
}

/** Writes bytes and waits while the client does not take them; false once the connection is gone. */
async function put(call, bytes) {
  if (call.socket.destroyed) return false;
  call.bytes_out(Buffer.byteLength(bytes));
  if (!call.socket.write(bytes)) {
    await new Promise((done) => {
      const go = () => {
        call.socket.off('drain', go).off('close', go);
        done();
      };
      call.socket.on('drain', go).on('close', go);
    });
  }
  return !call.socket.destroyed;
}

export async function reply(call, status, body, headers = {}) {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  await put(
    call,
    head(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(bytes),
      'x-request-id': call.id,
      ...headers,
    }),
  );
  await put(call, bytes);
}

export const failure = (message, type, code = null) => ({ error: { message, type, param: null, code } });

/** Text at four bytes a token and 85 tokens an image, as the least that a provider would count. */
function tokens_of(body) {
  const parts = (body?.messages ?? []).flatMap(({ content }) =>
    typeof content === 'string' ? [{ text: content }] : (content ?? []),
  );
  return Math.max(
    1,
    parts.reduce((sum, part) => sum + (part.text !== undefined ? Math.ceil(Buffer.byteLength(part.text) / 4) : 85), 0),
  );
}

/** Counts this request as charged, and says what the charge is. */
function bill(call) {
  const limit = call.body?.max_completion_tokens ?? call.body?.max_tokens ?? 16;
  const usage = { prompt_tokens: tokens_of(call.body), completion_tokens: Math.min(limit, 16) };
  if (!call.billed) {
    call.billed = true;
    call.row.billed.calls++;
    call.row.billed.prompt_tokens += usage.prompt_tokens;
    call.row.billed.completion_tokens += usage.completion_tokens;
  }
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

function completion(call, message = {}, extra = {}) {
  const { finish_reason = 'stop', ...rest } = extra;
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'ok', refusal: null, ...message },
    logprobs: null,
    finish_reason,
  };
  return {
    id: `chatcmpl-${call.id}`,
    object: 'chat.completion',
    created: 1700000000,
    model: call.body?.model ?? 'none',
    choices: [choice],
    usage: bill(call),
    ...rest,
  };
}

const text_of = (call) => JSON.stringify(completion(call));
export const ok = (call) => (call.body?.stream ? stream(call, ['o', 'k']) : reply(call, 200, text_of(call)));

function chunk(call, delta, extra = {}) {
  const { finish_reason = null, ...rest } = extra;
  const choices = delta ? [{ index: 0, delta, finish_reason }] : [];
  const about = { id: `chatcmpl-${call.id}`, object: 'chat.completion.chunk', created: 1700000000 };
  return `data: ${JSON.stringify({ ...about, model: call.body?.model ?? 'none', choices, ...rest })}\n\n`;
}

const sse_head = (call) =>
  put(call, head(200, { 'content-type': 'text/event-stream', 'x-request-id': call.id, 'connection': 'close' }));
const tail = (call) =>
  chunk(call, {}, { finish_reason: 'stop' }) + chunk(call, null, { usage: bill(call) }) + 'data: [DONE]\n\n';

async function stream(call, pieces, { pause_ms = 0, closing = tail(call), edit = (bytes) => bytes } = {}) {
  bill(call);
  await sse_head(call);
  for (const piece of pieces) {
    if (!(await put(call, edit(chunk(call, { role: 'assistant', content: piece }))))) return;
    await sleep(pause_ms);
  }
  await put(call, edit(closing));
  call.socket.end();
}

// ---- Modes. A mode answers one request; `attempt` counts from 1 within MODE~TAG, `number` is what follows the dot.

const overload = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const rate_limit = failure('Rate limit reached', 'rate_limit_exceeded', 'rate_limit_exceeded');
const once = (fault) => (call) => (call.attempt === 1 ? fault(call) : ok(call));
const until = (usual, fault) => (call) => (call.attempt < (call.number ?? usual) ? fault(call) : ok(call));
const rated = (headers) => once((call) => reply(call, 429, rate_limit, headers(call)));
const reset = (call) => call.socket.resetAndDestroy();
const silence = (call) => new Promise((done) => call.socket.once('close', done));
const raw = (make) => async (call) => {
  await put(call, make(call));
  call.socket.end();
};
const said = (make) => (call) => reply(call, 200, make(call));
const usage = (edit) => said((call) => completion(call, {}, { usage: edit(bill(call)) }));

async function drip(call, bytes, pause_ms) {
  for (const byte of Buffer.from(bytes)) {
    if (!(await put(call, Buffer.of(byte)))) return;
    await sleep(pause_ms);
  }
}

async function half(call, length, end) {
  const body = text_of(call);
  await put(call, head(200, { 'content-type': 'application/json', 'content-length': length(body) }));
  await put(call, body.slice(0, body.length / 2));
  return end(call);
}

/** A 64 MiB (or `number` MiB) answer, one string of content, sent in pieces. */
async function big(call) {
  const [before, after] = JSON.stringify(completion(call, { content: '@' })).split('@');
  const size = (call.number ?? 64) << 20;
  const piece = Buffer.alloc(1 << 16, 'x');
  await put(
    call,
    head(200, { 'content-type': 'application/json', 'content-length': before.length + after.length + size }),
  );
  await put(call, before);
  for (let sent = 0; sent < size; sent += piece.length) if (!(await put(call, piece))) return;
  await put(call, after);
}

/** Random faults for money tests: the same mix for the same `number` and order of arrival. */
function storm(call) {
  let seed = ((call.number ?? 1) * 7919 + call.attempt * 104729) >>> 0;
  seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
  const draw = ((seed ^ (seed >>> 12)) >>> 0) % 100;
  const mix = [
    [60, ok],
    [66, (each) => reply(each, 529, overload)],
    [72, (each) => reply(each, 429, rate_limit)],
    [76, modes.status_500],
    [80, modes.reset_before_head],
    [84, modes.reset_after_head],
    [88, modes.reset_at_request],
    [91, modes.malformed_json],
    [94, modes.no_usage],
    [96, modes.short_body],
    [98, modes.tokens_negative],
    [100, modes.hang],
  ];
  return mix.find(([limit]) => draw < limit)[1](call);
}

export const modes = {
  ok,
  delay: async (call) => {
    await sleep(call.number ?? 300);
    return ok(call);
  },
  storm,
  // refused, then fine
  retry_after_1: rated(() => ({ 'retry-after': '1' })),
  retry_after_negative: rated(() => ({ 'retry-after': '-5' })),
  retry_after_huge: rated(() => ({ 'retry-after': '1e9' })),
  retry_after_seconds: rated((call) => ({ 'retry-after': String(call.number ?? 3600) })),
  retry_after_soon: rated(() => ({ 'retry-after': 'soon' })),
  retry_after_date: rated(() => ({ 'retry-after': new Date(Date.now() + 2000).toUTCString() })),
  retry_after_ms: rated(() => ({ 'retry-after-ms': '120' })),
  errors_500: until(3, (call) => reply(call, 500, failure('The server had an error', 'server_error'))),
  loading: until(3, (call) =>
    reply(call, 503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
  ),
  overloaded: until(2, (call) => reply(call, 529, overload)),
  reset_once: once(reset),
  // refused for good
  quota: (call) =>
    reply(call, 429, failure('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')),
  status: (call) => reply(call, call.number ?? 500, failure(`status ${call.number ?? 500}`, 'some_error')),
  status_500: (call) => reply(call, 500, failure('The server had an error', 'server_error')),
  do_not_retry: (call) => reply(call, 503, failure('Down for the day', 'server_error'), { 'x-should-retry': 'false' }),
  bad_request: (call) =>
    reply(call, 400, {
      error: {
        message: "Unsupported parameter: 'temperature'",
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'unsupported_parameter',
      },
    }),
  unauthorized: (call) =>
    reply(call, 401, failure(`Incorrect API key provided: ${call.secret}`, 'invalid_request_error', 'invalid_api_key')),
  redirect: (call) =>
    reply(call, 307, '', { location: `http://127.0.0.1:${call.other_port}/redirected/v1/chat/completions` }),
  redirect_loop: (call) => reply(call, 307, '', { location: call.target }),
  // connections
  reset_at_request: reset,
  reset_before_head: (call) => {
    bill(call);
    reset(call);
  },
  reset_after_head: async (call) => {
    await half(
      call,
      (body) => body.length,
      () => sleep(50),
    );
    reset(call);
  },
  close_before_head: (call) => {
    bill(call);
    call.socket.end();
  },
  close_idle: async (call) => {
    await ok(call);
    call.socket.end();
  },
  hang: (call) => {
    bill(call);
    return silence(call);
  },
  head_then_silence: async (call) => {
    await put(call, head(200, { 'content-type': 'application/json', 'content-length': text_of(call).length }));
    return silence(call);
  },
  slow_head: (call) =>
    drip(call, head(200, { 'content-type': 'application/json', 'content-length': 0, 'filler': 'x'.repeat(100) }), 1000),
  slow_body: async (call) => {
    const body = text_of(call);
    await put(call, head(200, { 'content-type': 'application/json', 'content-length': body.length }));
    return drip(call, body, call.number ?? 1000);
  },
  short_body: (call) =>
    half(
      call,
      (body) => body.length,
      ({ socket }) => socket.end(),
    ),
  long_body: raw((call) => head(200, { 'content-type': 'application/json', 'content-length': 20 }) + text_of(call)),
  // HTTP
  broken_chunks: raw(
    (call) =>
      head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }) +
      `40\r\n${text_of(call).slice(0, 64)}\r\nzz\r\nmore`,
  ),
  cut_chunks: raw(
    (call) =>
      head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }) +
      `40\r\n${text_of(call).slice(0, 64)}\r\n`,
  ),
  two_encodings: raw(
    (call) =>
      head(200, { 'content-type': 'application/json', 'transfer-encoding': ['chunked', 'identity'] }) + text_of(call),
  ),
  two_lengths: raw(
    (call) =>
      head(200, { 'content-type': 'application/json', 'content-length': [5, text_of(call).length] }) + text_of(call),
  ),
  huge_header: (call) => reply(call, 200, text_of(call), { filler: 'x'.repeat(1 << 20) }),
  many_headers: (call) =>
    reply(call, 200, text_of(call), Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x-filler-${i}`, 'x']))),
  many_1xx: async (call) => {
    for (let i = 0; i < 100; i++) await put(call, 'HTTP/1.1 102 Processing\r\n\r\n');
    return ok(call);
  },
  not_http: raw(() => 'SSH-2.0-OpenSSH_9.2\r\n'),
  gzip: (call) => reply(call, 200, gzipSync(text_of(call)), { 'content-encoding': 'gzip' }),
  // bodies
  html: (call) => {
    bill(call);
    return reply(call, 200, '<!doctype html><title>Sign in</title><p>Please sign in to the wireless network', {
      'content-type': 'text/html',
    });
  },
  empty: (call) => {
    bill(call);
    return reply(call, 200, '');
  },
  malformed_json: said((call) => text_of(call).slice(0, -20)),
  trailing_comma: said((call) => text_of(call).replace(/}$/, ',}')),
  two_jsons: said((call) => text_of(call) + text_of(call)),
  bom: said((call) => `\ufeff${text_of(call)}`),
  nul_bytes: said((call) => text_of(call).replace('"ok"', '"o\0k"')),
  invalid_utf8: said((call) => Buffer.from(text_of(call).replace('"ok"', '"\xff\xfe"'), 'latin1')),
  lone_surrogate: said((call) => text_of(call).replace('"ok"', '"\\ud800"')),
  depth_bomb: said((call) => text_of(call).replace('"ok"', '['.repeat(100000) + ']'.repeat(100000))),
  number_1e999: said((call) => text_of(call).replace(/"prompt_tokens":\d+/, '"prompt_tokens":1e999')),
  big_body: big,
  // JSON of another shape
  error_in_200: (call) => reply(call, 200, failure('Upstream failed', 'server_error')),
  no_choices: said((call) => completion(call, {}, { choices: [] })),
  no_usage: usage(() => undefined),
  tokens_negative: usage((each) => ({ ...each, completion_tokens: -5 })),
  tokens_huge: usage((each) => ({ ...each, completion_tokens: 1e30 })),
  tokens_text: usage((each) => ({ ...each, completion_tokens: '12' })),
  content_null: said((call) => completion(call, { content: null })),
  content_array: said((call) => completion(call, { content: [{ type: 'text', text: 'ok' }] })),
  tool_calls_null: said((call) => completion(call, { tool_calls: null })),
  refusal: said((call) => completion(call, { content: null, refusal: 'I cannot help with that.' })),
  length: said((call) => completion(call, { content: '{"a":' }, { finish_reason: 'length' })),
  content_filter: said((call) => completion(call, { content: '' }, { finish_reason: 'content_filter' })),
  // server-sent events
  sse: (call) => stream(call, ['o', 'k']),
  sse_slow: (call) => stream(call, [...'one two three four'], { pause_ms: call.number ?? 50 }),
  sse_crlf: (call) =>
    stream(call, ['o', 'k'], { edit: (bytes) => `: comment\r\n\r\n${bytes.replaceAll('\n', '\r\n')}` }),
  sse_no_usage: (call) =>
    stream(call, ['o', 'k'], { closing: chunk(call, {}, { finish_reason: 'stop' }) + 'data: [DONE]\n\n' }),
  sse_cut: (call) => stream(call, ['o', 'k'], { closing: '' }),
  sse_cut_in_event: (call) => stream(call, ['o', 'k'], { closing: 'data: {"choices":[{"delta":{"content":"mo' }),
  sse_no_done: (call) =>
    stream(call, ['o', 'k'], {
      closing: chunk(call, {}, { finish_reason: 'stop' }) + chunk(call, null, { usage: bill(call) }),
    }),
  sse_error: (call) =>
    stream(call, ['o'], {
      closing: `data: ${JSON.stringify(failure('The server had an error while processing', 'server_error'))}\n\n`,
    }),
  sse_multibyte: async (call) => {
    bill(call);
    await sse_head(call);
    const bytes = Buffer.from(chunk(call, { role: 'assistant', content: '日本語 🎮 ünïcode' }));
    for (let at = 0; at < bytes.length; at += 1) {
      if (!(await put(call, bytes.subarray(at, at + 1)))) return;
      if (bytes[at] > 127) await sleep(2);
    }
    await put(call, tail(call));
    call.socket.end();
  },
  sse_pings: async (call) => {
    bill(call);
    await sse_head(call);
    while (await put(call, ': ping\n\n')) await sleep(200);
  },
  sse_endless: async (call) => {
    bill(call);
    await sse_head(call);
    while (await put(call, chunk(call, { content: 'more ' }))) await sleep(call.number ?? 1);
  },
};
