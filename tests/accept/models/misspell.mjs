// Every key of the bodies misspelt, one at a time: what a judge of bodies has to catch. Places that take any key are left alone.
// usage: node misspell.mjs BODIES.jsonl > MISSPELT.jsonl
import { readFileSync } from 'node:fs';

const open_places = ['schema', 'parameters', 'input_schema', 'metadata'];

/** Copies of `value` with one key below it misspelt, each with the path of that key. */
function* misspelt(value, dialect, path = []) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      const entries = Object.entries(value).map(([name, each]) => [name === key ? `${name}x` : name, each]);
      yield { path: [...path, key], value: Object.fromEntries(entries) };
    }
    if (open_places.includes(key) || (key === 'input' && dialect === 'anthropic-messages')) continue;
    for (const found of misspelt(inner, dialect, [...path, key])) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[key] = found.value;
      yield { path: found.path, value: copy };
    }
  }
}

const seen = new Set();
for (const line of readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const { dialect, body } = JSON.parse(line);
  for (const { path, value } of misspelt(body, dialect)) {
    const name = `${dialect} ${body.stream ? 'stream ' : ''}${path.filter((each) => !/^\d+$/.test(each)).join('.')}`;
    if (seen.has(name)) continue;
    seen.add(name);
    console.log(JSON.stringify({ name, dialect, body: value }));
  }
}
