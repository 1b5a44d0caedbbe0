// Browser control, taking turns: qa-host, playwright-core, puppeteer-core and chrome-remote-interface perform the same
// operations on the same page, each in its own Chromium of the same binary with the same flags. Wall time is the median
// per operation; CPU is that of the controlling process (qa-host: supervisor and worker), threads included. `bare` tells
// how far any of them could go: it writes and reads what is necessary and does nothing else (bare.cpp).
// usage: node browser.mjs QA_HOST BENCH_DIR [ROUNDS]
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const viewport = { width: 1280, height: 720 };
const paragraph = '<p>The <b>quick</b> brown fox jumps over the <i>lazy</i> dog, again and again, all day long.</p>';
const html = `<!doctype html><title>bench</title><style>body { margin: 0; font: 14px sans-serif } #button { position: absolute;
left: 600px; top: 300px; width: 120px; height: 40px } p { width: 560px }</style><button id="button">Button</button>${paragraph.repeat(80)}
<script>window.counts = { clicks: 0, keys: 0 };
addEventListener('click', () => counts.clicks++); addEventListener('keydown', () => counts.keys++);</script>`;

// ---- The peers: each opens the page and gives one function per operation.

const launchers = {
  async playwright({ path, flags, url, folder }) {
    const { chromium } = await import('playwright-core');
    const args = [...flags, `--user-data-dir=${folder}`, '--remote-debugging-pipe'];
    const browser = await chromium.launch({ executablePath: path, ignoreDefaultArgs: true, args });
    const page = await browser.newPage({ viewport });
    await page.goto(url);
    return {
      evaluate: () => page.evaluate('1 + 1'), click: () => page.mouse.click(320, 200), key: () => page.keyboard.press('a'),
      click_selector: () => page.click('#button'), content: () => page.content(), screenshot: () => page.screenshot(),
      counts: () => page.evaluate('counts'), close: () => browser.close(),
    };
  },
  async puppeteer({ path, flags, url, folder }) {
    const { default: puppeteer } = await import('puppeteer-core');
    const args = [...flags, `--user-data-dir=${folder}`, '--remote-debugging-pipe'];
    const browser = await puppeteer.launch({ executablePath: path, ignoreDefaultArgs: true, pipe: true, args: [...args, 'about:blank'], defaultViewport: viewport });
    const page = await browser.newPage();
    await page.goto(url);
    return {
      evaluate: () => page.evaluate('1 + 1'), click: () => page.mouse.click(320, 200), key: () => page.keyboard.press('a'),
      click_selector: () => page.click('#button'), content: () => page.content(), screenshot: () => page.screenshot({ optimizeForSpeed: true }),
      counts: () => page.evaluate('counts'), close: () => browser.close(),
    };
  },
  async 'chrome-remote-interface'({ path, flags, url, folder }) {
    const { default: CDP } = await import('chrome-remote-interface');
    const chrome = spawn(path, [...flags, `--user-data-dir=${folder}`, '--remote-debugging-port=0', 'about:blank'], { stdio: 'ignore' });
    const port_file = join(folder, 'DevToolsActivePort');
    while (!existsSync(port_file) || !readFileSync(port_file, 'utf8').includes('\n')) await new Promise((done) => setTimeout(done, 50));
    const port = Number(readFileSync(port_file, 'utf8').split('\n')[0]);
    const client = await CDP({ port });
    const { Runtime, Input, Page, Emulation } = client;
    await Promise.all([Runtime.enable(), Page.enable()]);
    await Emulation.setDeviceMetricsOverride({ ...viewport, deviceScaleFactor: 1, mobile: false });
    const loaded = Page.loadEventFired();
    await Page.navigate({ url });
    await loaded;
    const evaluate = async (expression) => (await Runtime.evaluate({ expression, returnByValue: true })).result.value;
    const click = (x, y) => Promise.all([
      Input.dispatchMouseEvent({ type: 'mouseMoved', x, y }),
      Input.dispatchMouseEvent({ type: 'mousePressed', x, y, button: 'left', clickCount: 1 }),
      Input.dispatchMouseEvent({ type: 'mouseReleased', x, y, button: 'left', clickCount: 1 }),
    ]);
    return {
      evaluate: () => evaluate('1 + 1'), click: () => click(320, 200),
      key() {
        const key = { key: 'a', code: 'KeyA', windowsVirtualKeyCode: 65 };
        return Promise.all([Input.dispatchKeyEvent({ type: 'keyDown', text: 'a', ...key }), Input.dispatchKeyEvent({ type: 'keyUp', ...key })]);
      },
      async click_selector() {
        const box = await evaluate('(() => { const b = document.querySelector("#button").getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })()');
        await click(...box);
      },
      content: () => evaluate('document.documentElement.outerHTML'),
      screenshot: async () => Buffer.from((await Page.captureScreenshot({ format: 'png', optimizeForSpeed: true })).data, 'base64'),
      counts: () => evaluate('counts'),
      async close() { await client.close(); chrome.kill(); },
    };
  },
};

/// What an operation gives, where it gives anything.
const is_right = { evaluate: (value) => value === 2, content: (value) => value.includes('</html>'), screenshot: (value) => value.length > 10000 };

/// A peer's process: a line of JSON asks for a batch, a line of JSON answers.
async function serve_peer(name, options) {
  const say = (value) => process.stdout.write(JSON.stringify(value) + '\n');
  const peer = await launchers[name](options);
  say({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const { turn, op, count } = JSON.parse(line);
    if (op === 'quit') break;
    const wall = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      const value = await peer[op]();
      wall.push(performance.now() - began);
      if (is_right[op] && !is_right[op](value)) throw new Error(`${name}: ${op} gave ${String(value).slice(0, 100)}`);
    }
    say({ turn, wall });
  }
  say({ counts: await peer.counts() });
  await peer.close();
  process.exit(0);
}

// ---- The runner.

/// On-CPU time of all threads of a process, ms (schedstat counts nanoseconds).
const cpu_ms = (pids) => pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/schedstat`))
  .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0);
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

function start(name, command, args, options) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} ended early`);
    return JSON.parse(value);
  };
  return { name, child, answer, ask: (wanted) => child.stdin.write(JSON.stringify(wanted) + '\n'), pids: () => [child.pid] };
}

const peers = [];

async function main(qa_host, bench, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-browser-'));
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(html)).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const url = `http://127.0.0.1:${server.address().port}/`;

  const turn_file = join(folder, 'turn.lua');
  const own = start('qa-host', qa_host, [join(bench, 'browser.lua'), turn_file, url], { cwd: folder });
  own.ask = ({ turn, op, count }) => {
    writeFileSync(turn_file + '.new', `return { turn = ${turn}, op = "${op}", count = ${count || 0} }`);
    renameSync(turn_file + '.new', turn_file);
  };
  peers.push(own);
  const { browser } = await own.answer();
  const children = execFileSync('pgrep', ['-P', String(own.child.pid)]).toString().split('\n').filter(Boolean).map(Number);
  own.pids = () => [own.child.pid, ...children.filter((pid) => pid !== browser)];
  const [path, ...flags] = readFileSync(`/proc/${browser}/cmdline`, 'utf8').split('\0').filter(Boolean);
  const shared = flags.filter((flag) => flag.startsWith('--') && !/^--(user-data-dir|remote-debugging)/.test(flag));

  for (const name of Object.keys(launchers)) {
    const options = JSON.stringify({ path, flags: shared, url, folder: mkdtempSync(join(folder, `${name}-`)) });
    const peer = start(name, process.execPath, [fileURLToPath(import.meta.url), '--peer', name, options]);
    peers.push(peer);
    await peer.answer();
  }

  const program = join(folder, 'bare');
  execFileSync('c++', ['-O2', '-std=c++20', '-o', program, join(bench, 'bare.cpp')]);
  const bare = start('bare', program, [url, mkdtempSync(join(folder, 'bare-')), path, ...shared]);
  bare.ops = ['evaluate', 'click', 'key'];
  peers.push(bare);
  await bare.answer();

  const counts = { evaluate: 200, click: 60, key: 60, click_selector: 20, content: 40, screenshot: 8 };
  const took = {};
  let turn = 0;
  /// Asks for a batch: the wall time of each operation, the CPU time of all, ms.
  const batch = async (peer, op, count) => {
    const before = cpu_ms(peer.pids());
    peer.ask({ turn: ++turn, op, count });
    const { wall } = await peer.answer();
    return { wall, cpu: cpu_ms(peer.pids()) - before };
  };
  for (let round = 0; round <= rounds; round++) {
    for (const [op, count] of Object.entries(counts)) {
      for (const peer of peers.filter((each) => !each.ops || each.ops.includes(op))) {
        // What asking and answering take is no part of the operation.
        const empty = await batch(peer, op, 0);
        const { wall, cpu } = await batch(peer, op, count);
        if (round === 0) continue;  // The first warms up.
        const seen = (took[`${op} ${peer.name}`] ||= { wall: [], cpu: [] });
        seen.wall.push(...wall);
        seen.cpu.push((cpu - empty.cpu) / count);
      }
    }
  }

  for (const peer of peers) {
    const does = (op) => !peer.ops || peer.ops.includes(op);
    const clicks = ['click', 'click_selector'].filter(does).reduce((sum, op) => sum + counts[op], 0);
    const wanted = { clicks: (rounds + 1) * clicks, keys: (rounds + 1) * counts.key };
    peer.ask({ turn: ++turn, op: 'quit' });
    const seen = (await peer.answer()).counts;
    if (seen.clicks !== wanted.clicks || seen.keys !== wanted.keys) {
      console.log(`${peer.name}: the page saw ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
      process.exitCode = 1;
    }
  }
  console.log('operation      tool                      wall_ms    cpu_ms  wall_ratio  cpu_ratio');
  for (const op of Object.keys(counts)) {
    const [own_wall, own_cpu] = [median(took[`${op} qa-host`].wall), median(took[`${op} qa-host`].cpu)];
    for (const peer of peers) {
      if (!took[`${op} ${peer.name}`]) continue;
      const { wall, cpu } = took[`${op} ${peer.name}`];
      console.log(`${op.padEnd(14)} ${peer.name.padEnd(24)} ${median(wall).toFixed(3).padStart(8)} ${median(cpu).toFixed(4).padStart(9)} ` +
        `${(median(wall) / own_wall).toFixed(2).padStart(11)} ${(median(cpu) / own_cpu).toFixed(2).padStart(10)}`);
    }
  }
  console.log('playwright takes its screenshots without optimizeForSpeed, which it does not offer; bare has no screenshot, content and selector.');
  server.close();
  await Promise.all(peers.map((peer) => peer.child.exitCode ?? new Promise((done) => peer.child.once('exit', done))));
  rmSync(folder, { recursive: true, force: true });
}

if (process.argv[2] === '--peer') await serve_peer(process.argv[3], JSON.parse(process.argv[4]));
else {
  try {
    await main(process.argv[2], process.argv[3], Number(process.argv[4] || 10));
  } catch (error) {
    for (const peer of peers) peer.child.kill();
    console.error(error);
    process.exit(3);
  }
}
