// What every peer here shares: one JSON line when it is ready, and an end on SIGTERM, SIGINT or when its parent goes
// away (stdin closes; a terminal or /dev/null is no parent). start() runs another peer that way and reads its line.
// usage: import { announce, listen, start } from './lifeline.mjs'
import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Prints `facts` as one line; `close` runs once at the end and has 2 s. */
export function announce(facts, close = async () => {}) {
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), 2000).unref();
    await close();
    process.exit(0);
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  const stdin = fstatSync(0);
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.on('end', end).on('close', end).on('error', end).resume();
  process.stdout.write(JSON.stringify({ ready: true, pid: process.pid, ...facts }) + '\n');
}

/** Listens on a free port of 127.0.0.1 and returns it. */
export function listen(server) {
  return new Promise((done, failed) =>
    server.once('error', failed).listen(0, '127.0.0.1', () => done(server.address().port)),
  );
}

/** Runs a peer with a pipe as its stdin: { facts, stop }. */
export function start(script, args = [], options = {}) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  const stop = () => new Promise((done) => (child.exitCode === null ? child.once('exit', done).stdin.end() : done()));
  return new Promise((done, failed) => {
    child.once('exit', (code) => failed(new Error(`${script} ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', (line) => done({ facts: JSON.parse(line), stop }));
  });
}
