// Two PNG files to a verdict, as a user of pixelmatch would write it. usage: node pixelmatch.mjs A B
import { readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import pixelmatch from 'pixelmatch';

const [a, b] = process.argv.slice(2, 4).map((path) => PNG.sync.read(readFileSync(path)));
const count = pixelmatch(a.data, b.data, null, a.width, a.height, { threshold: 0.1, includeAA: true });
console.log(count);
process.exit(count ? 1 : 0);
