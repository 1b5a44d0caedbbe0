// So many calls as bytes on one connection: what the server alone takes. usage: node bare_calls.mjs PORT N     prints microseconds a call
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const body = '{"model":"gpt-4o","messages":[{"role":"user","content":"say ok"}],"max_completion_tokens":16}';
const request = `POST /ok~bare/v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const socket = connect({ port, host: '127.0.0.1', noDelay: true });
let text = '';
socket.setEncoding('latin1').on('data', (piece) => (text += piece));

/** An answer is whole when its one JSON object ends. */
async function answered() {
  while (!text.endsWith('}')) await new Promise((done) => socket.once('data', done));
  text = '';
}

const began = performance.now();
for (let i = 0; i < count; i++) {
  socket.write(request);
  await answered();
}
console.log(Math.round(((performance.now() - began) * 1000) / count));
socket.destroy();
