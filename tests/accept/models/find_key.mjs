// Looks for a secret in every file below the folders, in twelve spellings. usage: node find_key.mjs SECRET FOLDER...
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [secret, ...folders] = process.argv.slice(2);
const base64 = (offset) => Buffer.from('x'.repeat(offset) + secret).toString('base64').slice(Math.ceil((offset * 4) / 3) + 1, -4);
const hex = Buffer.from(secret).toString('hex');
const spellings = {
  plain: secret, upper: secret.toUpperCase(), reversed: [...secret].reverse().join(''), base64_0: base64(0), base64_1: base64(1), base64_2: base64(2),
  base64url: Buffer.from(secret).toString('base64url').slice(0, -2), hex, HEX: hex.toUpperCase(),
  percent: [...secret].map((c) => '%' + c.charCodeAt(0).toString(16)).join(''), json: [...secret].map((c) => '\\u00' + c.charCodeAt(0).toString(16)).join(''),
  utf16: Buffer.from(secret, 'utf16le').toString('latin1'),
};
let files = 0;
const found = [];
const look = (path) => {
  const facts = statSync(path);
  if (facts.isDirectory()) return readdirSync(path).forEach((name) => look(join(path, name)));
  if (!facts.isFile()) return;
  files += 1;
  const text = readFileSync(path, 'latin1');
  for (const [name, spelling] of Object.entries(spellings)) if (text.includes(spelling)) found.push(`${name} in ${path}`);
};
folders.forEach(look);
console.log(`${files} files, ${Object.keys(spellings).length} spellings, ${found.length} found ${found.slice(0, 3).join('; ')}`);
process.exit(found.length ? 1 : 0);
