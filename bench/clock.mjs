// Parts of ./dev bench clock that need DevTools or Playwright themselves; a line of JSON each. Called by clock.lua.
// usage: node clock.mjs page_clock CHROMIUM URL SECONDS   two pages stepped by Playwright's page.clock, a second at once
//        node clock.mjs pictures CHROMIUM PNG...          formats of pictures: what each costs, and what it does not show
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const viewport = { width: 1280, height: 720 };

/// CPU seconds of a process and all below it.
function tree_seconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + tree_seconds(child), fields.slice(11, 15).reduce((sum, n) => sum + Number(n), 0) / 100);
  } catch {
    return 0;  // It has ended.
  }
}

async function with_browser(executablePath, fn) {
  const server = await chromium.launchServer({ executablePath });
  const browser = await chromium.connect(server.wsEndpoint());
  try {
    console.log(JSON.stringify(await fn(browser, server.process().pid)));
  } finally {
    await browser.close();
    await server.close();
  }
}

// ---- page.clock

async function page_clock(browser, pid, url, seconds) {
  const pages = [];
  for (let i = 0; i < 2; i++) {
    const page = await browser.newPage({ viewport });
    await page.clock.install({ time: 0 });
    await page.goto(url);
    await page.clock.pauseAt(1000);
    await page.evaluate(() => {
      window.frames_seen = 0;
      const count = () => { ++window.frames_seen; requestAnimationFrame(count); };
      requestAnimationFrame(count);
    });
    pages.push(page);
  }
  let wall = 0, cpu = 0, equal = 0;
  for (let second = 0; second < seconds; second++) {
    const [began, cpu_began] = [performance.now(), tree_seconds(pid)];
    await Promise.all(pages.map((page) => page.clock.runFor(1000)));
    wall += (performance.now() - began) / 1000;
    cpu += tree_seconds(pid) - cpu_began;
    const [a, b] = await Promise.all(pages.map((page) => page.screenshot()));
    equal += a.equals(b);
  }
  const frames = await pages[0].evaluate(() => window.frames_seen);
  return { driven: frames > 0, why: 'no frame came', frames, wall, cpu, equal: `${equal}/${seconds}` };
}

// ---- pictures

const centre = { x: 320, y: 180, width: 640, height: 360, scale: 1 };
const whole = { x: 0, y: 0, ...viewport };
const formats = {
  'PNG for speed': { format: 'png', optimizeForSpeed: true },
  PNG: { format: 'png' },
  'JPEG 80': { format: 'jpeg', quality: 80 },
  'JPEG 100': { format: 'jpeg', quality: 100 },
  'WebP 80': { format: 'webp', quality: 80 },
  'WebP 100': { format: 'webp', quality: 100 },
  'PNG for speed, the middle quarter': { format: 'png', optimizeForSpeed: true, clip: centre },
  'PNG for speed, scale 1/2': { format: 'png', optimizeForSpeed: true, clip: { ...whole, scale: 1 / 2 } },
  'PNG for speed, scale 1/4': { format: 'png', optimizeForSpeed: true, clip: { ...whole, scale: 1 / 4 } },
};
/// What is laid over the picture: side in pixels, and how.
const changes = {
  'a pixel, 1 step': [1, 'difference; background: rgb(1, 0, 0)'],
  'a pixel, 16 steps': [1, 'difference; background: rgb(16, 16, 16)'],
  'a pixel inverted': [1, 'difference; background: white'],
  '4x4, 1 step': [4, 'difference; background: rgb(1, 1, 1)'],
  '4x4 inverted': [4, 'difference; background: white'],
  '16x16, 4 steps': [16, 'difference; background: rgb(4, 4, 4)'],
};
const PLACES = 8, TIMES = 10;
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function pictures(browser, pid, ...files) {
  const page = await browser.newPage({ viewport });
  const session = await page.context().newCDPSession(page);
  const rows = Object.fromEntries(Object.keys(formats).map((name) => [name, { ms: [], bytes: [], seen: {} }]));
  for (const file of files) {
    await page.setContent(`<body style="margin: 0"><img style="display: block" src="data:image/png;base64,${readFileSync(file).toString('base64')}">`);
    await page.evaluate(() => document.images[0].decode());
    for (const [name, options] of Object.entries(formats)) {
      const shot = async () => (await session.send('Page.captureScreenshot', options)).data;
      const row = rows[name], plain = await shot();
      for (let i = 0; i < TIMES; i++) {
        const began = performance.now();
        const again = await shot();
        row.ms.push(performance.now() - began);
        if (again !== plain) throw new Error(`${name}: the same picture has other bytes`);
      }
      row.bytes.push(plain.length * 3 / 4);
      for (const [change, [side, blend]] of Object.entries(changes)) {
        for (let i = 0; i < PLACES; i++) {
          const [x, y] = [37 + i * 397 % 1200, 31 + i * 211 % 650];
          await page.evaluate(([x, y, side, blend]) => {
            const box = document.createElement('div');
            box.style.cssText = `position: fixed; left: ${x}px; top: ${y}px; width: ${side}px; height: ${side}px; mix-blend-mode: ${blend}`;
            document.body.append(box);
          }, [x, y, side, blend]);
          if (await shot() !== plain) row.seen[change] = (row.seen[change] ?? 0) + 1;
          await page.evaluate(() => document.body.lastChild.remove());
        }
      }
    }
  }
  const all = files.length * PLACES, names = Object.keys(changes);
  const lines = Object.entries(rows).map(([name, { ms, bytes, seen }]) => [name.padEnd(34), median(ms).toFixed(1).padStart(7),
    (median(bytes) / 1024).toFixed(0).padStart(7), ...names.map((change) => `${seen[change] ?? 0}/${all}`.padStart(change.length + 2))].join(''));
  return { table: [`${'format'.padEnd(34)}     ms    KiB  ${names.join('  ')}  (seen)`, ...lines].join('\n') };
}

const [part, path, ...rest] = process.argv.slice(2);
await with_browser(path, (browser, pid) => part === 'page_clock' ? page_clock(browser, pid, rest[0], Number(rest[1])) : pictures(browser, pid, ...rest));
