// A bare WebSocket client: the mean of COUNT calls of Runtime.evaluate on a page of its own, in milliseconds.
// usage: evaluate.mjs WS_URL COUNT
import WebSocket from 'ws';

const [url, count] = [process.argv[2], Number(process.argv[3])];
const socket = new WebSocket(url, { perMessageDeflate: false });
await new Promise((done) => socket.once('open', done));
let last = 0;
const waiting = new Map();
socket.on('message', (text) => {
  const message = JSON.parse(text);
  waiting.get(message.id)?.(message.result);
});
const call = (method, params = {}, sessionId = undefined) =>
  new Promise((done) => {
    waiting.set(++last, done);
    socket.send(JSON.stringify({ id: last, method, params, sessionId }));
  });
const { browserContextId } = await call('Target.createBrowserContext', { disposeOnDetach: true });
const { targetId } = await call('Target.createTarget', { url: 'about:blank', browserContextId });
const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
await call('Runtime.enable', {}, sessionId);
const evaluate = () => call('Runtime.evaluate', { expression: '1', returnByValue: true, awaitPromise: true }, sessionId);
for (let i = 0; i < 20; ++i) await evaluate();
const began = performance.now();
for (let i = 0; i < count; ++i) await evaluate();
console.log((performance.now() - began) / count);
socket.close();
