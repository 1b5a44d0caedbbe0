// Bytes between a browser in a network namespace and this one: a Unix socket is reached from both.
// node relay.mjs inside SOCKET PORT    the browser's side: to its debugging port
// node relay.mjs outside SOCKET        our side: prints the port on which it listens
import net from 'node:net';

const [side, socket, port] = process.argv.slice(2);
const server = net.createServer((from) => {
  const to = side === 'inside' ? net.connect(Number(port), '127.0.0.1') : net.connect(socket);
  for (const [a, b] of [[from, to], [to, from]]) a.on('error', () => b.destroy()).on('close', () => b.destroy()).pipe(b);
});
if (side === 'inside') server.listen(socket, () => console.log('ready'));
else server.listen(0, '127.0.0.1', () => console.log(server.address().port));
