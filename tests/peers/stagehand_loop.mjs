// Stagehand's own agent loop on a game, driven by a player (scripted_model.mjs), in the browser and with the flags of qa-host.
// usage: node stagehand_loop.mjs QA_HOST GAME_FOLDER PLAYER_PORT [cua|hybrid]
//   cua: the vendor's computer tool, as seed 002 has it; hybrid: functions with coordinates
//   prints {"mode","won","actions","model_calls","ms","cpu_ms"}: of agent.execute, CPU of this process
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Stagehand } from '@browserbasehq/stagehand';

const [qa_host, game, port, mode = 'cua'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'stagehand-loop-'));

/** The browser that qa-host starts, and its flags. */
async function browser_of_qa_host() {
  const code = 'local b = assert(qa.browser.launch{}) print(b:info().pid) qa.sleep(60000)';
  const child = spawn(qa_host, ['-e', code], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [path, ...flags] = readFileSync(`/proc/${line.trim()}/cmdline`, 'utf8').split('\0').filter(Boolean);
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
    return { path, flags: flags.filter((flag) => flag.startsWith('--') && !/^--(user-data-dir|remote-debugging)/.test(flag)) };
  }
}

async function launch() {
  const { path, flags } = await browser_of_qa_host();
  const profile = join(folder, 'profile');
  const chrome = spawn(path, [...flags, `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'], { stdio: 'ignore' });
  const file = join(profile, 'DevToolsActivePort');
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes('\n')) await new Promise((done) => setTimeout(done, 50));
  const [debug_port, where] = readFileSync(file, 'utf8').split('\n');
  return { chrome, cdpUrl: `ws://127.0.0.1:${debug_port}${where}` };
}

const page_of = (request, response) => {
  const name = new URL(request.url, 'http://game').pathname.replace(/\/$/, '/index.html');
  const path = join(game, name);
  if (!existsSync(path)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': path.endsWith('.html') ? 'text/html' : 'text/javascript' }).end(readFileSync(path));
};
const server = createServer(page_of).listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));

const model_url = `http://127.0.0.1:${port}`;
const asked = async () => (await (await fetch(`${model_url}/__bodies`)).json()).length;
const model = { apiKey: 'sk-none', baseURL: `${model_url}/v1` };
const models = {
  cua: { modelName: 'openai/computer-use-preview', ...model },
  hybrid: { modelName: 'openai/gpt-4o', openaiEndpointFormat: 'chat', ...model },
};

const { chrome, cdpUrl } = await launch();
const stagehand = new Stagehand({
  env: 'LOCAL', localBrowserLaunchOptions: { cdpUrl, viewport: { width: 1280, height: 720 } }, verbose: 0, disablePino: true,
  disableAPI: true, model: models.hybrid,
});
try {
  await stagehand.init();
  const page = stagehand.context.pages()[0];
  await page.setViewportSize(1280, 720);
  await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: 'load' });
  // qa-host finds the start by itself before its strategy plays; here it is told.
  await page.evaluate("(document.querySelector('#start') ?? [...document.querySelectorAll('button')].find((each) => each.textContent === 'Play')).click()");
  const agent = stagehand.agent({ mode, model: models[mode] });
  const began = performance.now(), before = process.cpuUsage();
  const result = await agent.execute({ instruction: 'Play this game to its end.', maxSteps: 40 });
  const cpu = process.cpuUsage(before), ms = performance.now() - began;
  const won = await page.evaluate('game.won');
  const actions = result.actions.filter((each) => !['done', 'screenshot', 'message', 'reasoning'].includes(each.type)).length;
  const facts = { mode, won, actions, model_calls: await asked(), ms: Math.round(ms), cpu_ms: Math.round((cpu.user + cpu.system) / 1000) };
  console.log(JSON.stringify(won ? facts : { ...facts, message: result.message }));
} finally {
  await stagehand.close().catch(() => {});
  chrome.kill('SIGTERM');
  await new Promise((done) => (chrome.exitCode === null && chrome.signalCode === null ? chrome.once('exit', done) : done()));
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
