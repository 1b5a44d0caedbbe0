// Looks for a secret in every file below the folders, in twelve spellings. usage: node find_key.mjs SECRET FOLDER...
//        node find_key.mjs SECRET --plant FOLDER     writes twelve files there, each of which it must find
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [secret, ...folders] = process.argv.slice(2);

/** What is the same in base64 wherever the secret begins and whatever surrounds it; `offset` bytes stand before it. */
function base64(offset, encoding = 'base64') {
  const bytes = Buffer.from('x'.repeat(offset) + secret);
  return bytes.toString(encoding).slice(Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3));
}
const each = (spell) => [...secret].map(spell).join('');
const hex = Buffer.from(secret).toString('hex');
const spellings = {
  plain: secret,
  upper: secret.toUpperCase(),
  reversed: [...secret].reverse().join(''),
  base64_0: base64(0),
  base64_1: base64(1),
  base64_2: base64(2),
  base64url: base64(0, 'base64url'),
  hex,
  HEX: hex.toUpperCase(),
  percent: each((c) => `%${c.charCodeAt(0).toString(16)}`),
  json: each((c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  utf16: Buffer.from(secret, 'utf16le').toString('latin1'),
};

function plant(folder) {
  mkdirSync(folder, { recursive: true });
  const around = (text) => `before ${text} after`;
  const in_base64 = (offset, encoding) => Buffer.from(`${'y'.repeat(offset)}${secret} and more`).toString(encoding);
  const texts = { ...spellings, base64_0: in_base64(0, 'base64'), base64_1: in_base64(1, 'base64'), base64_2: in_base64(2, 'base64') };
  texts.base64url = in_base64(0, 'base64url');
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), Buffer.from(around(text), 'latin1'));
}

let files = 0;
const found = [];
function look(path) {
  const facts = statSync(path);
  if (facts.isDirectory()) return readdirSync(path).forEach((name) => look(join(path, name)));
  if (!facts.isFile()) return;
  files += 1;
  const text = readFileSync(path, 'latin1');
  const name = Object.keys(spellings).find((each) => text.includes(spellings[each]));
  if (name) found.push(`${name} in ${path}`);
}

if (folders[0] === '--plant') {
  plant(folders[1]);
} else {
  folders.forEach(look);
  console.log(`${files} files, ${Object.keys(spellings).length} spellings, ${found.length} found ${found.slice(0, 3).join('; ')}`);
}
