// "Did the screen change?" as a user of pixelmatch asks it inside a running program: decode the new picture, compare.
// usage: node pixelmatch_in_process.mjs FOLDER [ROUNDS]
import { readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import pixelmatch from 'pixelmatch';

const [folder, rounds = '15'] = process.argv.slice(2);
for (const size of ['720p', '1080p', '2160p']) {
  const before = PNG.sync.read(readFileSync(`${folder}/${size}-a.png`));
  const bytes = readFileSync(`${folder}/${size}-slight.png`);
  const times = [];
  for (let i = 0; i <= Number(rounds); i++) {
    const begin = process.cpuUsage();
    const after = PNG.sync.read(bytes);
    pixelmatch(before.data, after.data, null, before.width, before.height, { threshold: 0.1, includeAA: true });
    const took = process.cpuUsage(begin);
    if (i > 0) times.push((took.user + took.system) / 1000);
  }
  times.sort((a, b) => a - b);
  console.log(`${size.padEnd(6)} PNG decode + pixelmatch      ${times[times.length >> 1].toFixed(3).padStart(8)} ms CPU`);
}
