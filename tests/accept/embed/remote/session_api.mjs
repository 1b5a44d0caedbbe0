// The session API of Browserbase, as far as qa-host uses it, in front of a Chromium that runs already.
// usage: session_api.mjs DEBUGGING_PORT LOG FAULT...   a FAULT for each request to create a session: 401, 429, slow, ok
// Prints its port. LOG gets a line a request.
import http from 'node:http';
import net from 'node:net';
import fs from 'node:fs';

const [browserPort, log, ...faults] = process.argv.slice(2);
const version = await (await fetch(`http://127.0.0.1:${browserPort}/json/version`)).json();
const path = new URL(version.webSocketDebuggerUrl).pathname;
const sockets = new Set();
// The way of a session to the browser, which the API may end early.
const way = net.createServer((client) => {
  const server = net.connect(browserPort, '127.0.0.1');
  sockets.add(client);
  for (const [from, to] of [[client, server], [server, client]]) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
});
await new Promise((done) => way.listen(0, '127.0.0.1', done));

const api = http.createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  fs.appendFileSync(log, `${request.method} ${request.url} ${request.headers['x-bb-api-key'] === 'bb_sesame'} ${body}\n`);
  const answer = (status, value, headers = {}) => response.writeHead(status, headers).end(JSON.stringify(value));
  if (request.url === '/end') {
    for (const socket of sockets) socket.destroy();
    return answer(200, {});
  }
  if (request.method === 'POST' && request.url === '/v1/sessions') {
    const fault = faults.shift() ?? 'ok';
    if (fault === '401') return answer(401, { message: 'bb_sesame is no key' });
    if (fault === '429') return answer(429, { message: 'too many' }, { 'retry-after': '1' });
    const give = () =>
      answer(201, { id: 'session-1', connectUrl: `ws://127.0.0.1:${way.address().port}${path}?signingKey=sesame` });
    return fault === 'slow' ? setTimeout(give, 3000) : give();
  }
  if (request.url.endsWith('/debug')) return answer(200, { debuggerFullscreenUrl: 'https://watch.example/session-1' });
  answer(200, {});
});
api.listen(0, '127.0.0.1', () => console.log(api.address().port));
