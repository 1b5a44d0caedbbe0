// A staging build behind a gate, and another server beside it. Without the header, the cookie and the password the gate
// answers 403 and 401. Each request of either is a line of JSON in its log: {url, headers}.
// node gate.mjs GAME.html LOGFOLDER    prints "GATEPORT OTHERPORT"
import { appendFileSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import http from 'node:http';

const [game, logs] = process.argv.slice(2);
const header = 'planted-header-7f3a', cookie = 'planted-cookie-91c2', password = 'planted-password-b4d0';
const basic = 'Basic ' + Buffer.from('anna:' + password).toString('base64');

function start(name, answer) {
  const note = (request) => appendFileSync(`${logs}/${name}.log`, JSON.stringify({ url: request.url, headers: request.headers }) + '\n');
  const server = http.createServer((request, response) => { note(request); answer(request, response); });
  server.on('upgrade', (request, socket) => {
    note(request);
    const key = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    socket.on('error', () => {}).write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
  });
  return new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(server.address().port)));
}

const html = { 'content-type': 'text/html; charset=utf-8' };
const other = await start('other', (request, response) => {
  response.writeHead(200, { ...html, 'access-control-allow-origin': '*' }).end('<link rel=icon href=data:,>elsewhere');
});
const elsewhere = `http://127.0.0.1:${other}`;
// The page asks the other server in every way that it has, and says what it was opened with wherever it can.
const asks = `<link rel=icon href=data:,><script>
for (const path of ['/away', '${elsewhere}/fetched']) fetch(path, { mode: 'no-cors', credentials: 'include' });
new Worker(URL.createObjectURL(new Blob(["fetch('${elsewhere}/worker', { mode: 'no-cors', credentials: 'include' })"])));
new Image().src = '${elsewhere}/picture';
new WebSocket('ws://127.0.0.1:${other}/socket');
addEventListener('load', () => { document.body.insertAdjacentHTML('beforeend', '<iframe width=1 height=1 src="${elsewhere}/frame"></iframe><iframe width=1 height=1 src="/away?frame"></iframe>'); });
const known = '${header} ${cookie} ${password} ${basic}';
console.error(known); console.warn(known); fetch('/missing/' + encodeURIComponent(known)); document.title = known;
</script><p style="position:absolute;bottom:0">${header} ${cookie} ${password} ${basic}</p>`;
const gate = await start('gate', (request, response) => {
  const { url, headers } = request;
  if (headers['x-gate'] !== header || !(headers.cookie ?? '').includes('sid=' + cookie)) return response.writeHead(403, html).end('no entry');
  if (headers.authorization !== basic) return response.writeHead(401, { 'www-authenticate': 'Basic realm="stage"' }).end();
  if (url.startsWith('/away')) return response.writeHead(302, { location: elsewhere + '/redirected' }).end();
  if (url !== '/') return response.writeHead(404, html).end();
  response.writeHead(200, html).end(readFileSync(game, 'utf8').replace('</body>', asks + '</body>'));
});
console.log(gate, other);
