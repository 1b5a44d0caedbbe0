// Byte-level fault server on loopback: one path per way in which an LLM endpoint fails (fault_modes.mjs), in OpenAI's
// chat shape where it answers at all.
// usage: node fault_server.mjs    prints {"ready":true,"port":P,"other_port":Q,"modes":[...]}
//   base_url http://127.0.0.1:P/MODE[.NUMBER][~TAG]/v1   a tag gives a caller its own attempt counter and journal row
//   GET /__journal  {modes: {MODE~TAG: {requests, complete, bytes_in, bytes_out, header_names, billed}}, connections}
//   DELETE /__journal forgets rows and attempt counters
// `billed` is what a provider would charge: requests it had read whole and was working on, answered or not.
import { createServer } from 'node:net';
import { failure, head, modes, ok, reply } from './fault_modes.mjs';
import { announce, listen } from './lifeline.mjs';

let rows = new Map();
let connections = [];
let serial = 0;

// ---- Connections: requests are read whole, answered one after the other, and noted.

function row_of(key) {
  if (!rows.has(key))
    rows.set(key, {
      requests: 0,
      complete: 0,
      bytes_in: 0,
      bytes_out: 0,
      header_names: [],
      billed: { calls: 0, prompt_tokens: 0, completion_tokens: 0 },
    });
  return rows.get(key);
}

function parse_head(text) {
  const [line, ...fields] = text.split('\r\n');
  const [method, target] = line.split(' ');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf(':');
      return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
    }),
  );
  return { method, target, headers };
}

/** The decoded chunked body and the bytes it took, or null while it is not whole. */
function dechunk(bytes) {
  const parts = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const size = end < 0 ? NaN : parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (end < 0 || bytes.length < end + size + 4) return null;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + size + 4;
    if (!(size > 0)) return { body: Buffer.concat(parts), taken: at };
  }
}

function journal(socket, method) {
  const bytes = JSON.stringify(method === 'DELETE' ? {} : { modes: Object.fromEntries(rows), connections });
  if (method === 'DELETE') {
    rows = new Map();
    connections = [];
  }
  socket.write(head(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }) + bytes);
}

const key_of = (origin, target) =>
  origin === 'other' ? 'redirected' : decodeURIComponent(target.split('/')[1].split('?')[0]);

async function answer(socket, seen, request, body) {
  const key = key_of(seen.origin, request.target);
  const [, name, number] = /^([a-z0-9_]+?)(?:\.(\d+))?(?:~.*)?$/.exec(key) ?? [];
  const row = row_of(key);
  row.complete++;
  const call = {
    socket,
    row,
    id: `req-${++serial}`,
    target: request.target,
    other_port,
    attempt: row.complete,
    number: number && Number(number),
    secret: request.headers.authorization ?? request.headers['x-api-key'] ?? 'none',
    bytes_out: (count) => {
      row.bytes_out += count;
      seen.bytes_out += count;
    },
  };
  try {
    call.body = JSON.parse(body);
  } catch {
    call.body = null;
  }
  const mode = seen.origin === 'other' ? ok : Object.hasOwn(modes, name ?? '') && modes[name];
  if (mode) await mode(call);
  else await reply(call, 404, failure(`no such mode: ${key}`, 'not_found'));
  if (/close/i.test(request.headers.connection ?? '')) socket.end();
}

function note(seen, request, arrived) {
  const key = key_of(seen.origin, request.target),
    names = Object.keys(request.headers),
    row = row_of(key);
  row.requests++;
  row.bytes_in += arrived;
  row.header_names = [...new Set([...row.header_names, ...names])];
  seen.requests.push({
    mode: key,
    method: request.method,
    target: request.target,
    header_names: names,
    body_bytes: null,
  });
  return row;
}

function serve(origin) {
  return createServer({ noDelay: true }, (socket) => {
    const seen = { origin, opened_ms: Date.now(), closed_ms: null, bytes_in: 0, bytes_out: 0, requests: [] };
    let waiting = Buffer.alloc(0),
      current = null,
      busy = Promise.resolve();
    if (connections.push(seen) > 1000) connections.shift();

    /** Takes one whole request off what has arrived; false when there is none. */
    const take = () => {
      if (!current) {
        const end = waiting.indexOf('\r\n\r\n');
        if (end < 0) return false;
        current = parse_head(waiting.subarray(0, end).toString('latin1'));
        waiting = waiting.subarray(end + 4);
        if (current.target.startsWith('/__journal')) connections = connections.filter((each) => each !== seen);
        else current.row = note(seen, current, end + 4 + waiting.length);
        if (current.headers.expect) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      }
      const chunked = /chunked/i.test(current.headers['transfer-encoding'] ?? '');
      const size = Number(current.headers['content-length'] ?? 0);
      const whole = chunked
        ? dechunk(waiting)
        : waiting.length >= size && { body: waiting.subarray(0, size), taken: size };
      if (!whole) return false;
      const request = current;
      current = null;
      waiting = waiting.subarray(whole.taken);
      if (!request.row) {
        busy = busy.then(() => journal(socket, request.method));
        return true;
      }
      request.row.bytes_in -= waiting.length;
      seen.requests.at(-1).body_bytes = whole.body.length;
      busy = busy.then(() => answer(socket, seen, request, whole.body.toString())).catch(() => socket.destroy());
      return true;
    };

    socket
      .on('error', () => {})
      .on('close', () => {
        seen.closed_ms = Date.now();
      });
    socket.on('data', (bytes) => {
      seen.bytes_in += bytes.length;
      if (current?.row) current.row.bytes_in += bytes.length;
      waiting = waiting.length ? Buffer.concat([waiting, bytes]) : bytes;
      while (take());
    });
  });
}

const main = serve('main'),
  other = serve('other');
const port = await listen(main);
const other_port = await listen(other);
announce({ port, other_port, modes: Object.keys(modes) });
