// Judges what surfaces.lua printed: each answer as the server gave it, to the token and to the nano-dollar.
// usage: node surfaces.mjs SAID FIXTURES.json    SAID of aimock, by its fixtures
//        node surfaces.mjs SAID ANSWERS.json     SAID of the tiny model, by its own list of answers
import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';

const [said, known] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
const { fixtures, ...answers } = JSON.parse(known);
const expected = (line, i) => {
  if (!fixtures) return answers[i];
  const { content, usage } = fixtures.find(({ match }) => match.userMessage && line.asked.includes(match.userMessage)).response;
  return { text: typeof content === 'string' ? content : JSON.stringify(content), usage };
};

const same_text = (a, b) => a === b || (a?.startsWith('{') && isDeepStrictEqual(JSON.parse(a), JSON.parse(b)));
const lines = said.trim().split('\n').map((line) => JSON.parse(line));
let right = 0;
for (const [i, line] of lines.entries()) {
  const { text, usage } = expected(line, i);
  const nano = usage.prompt_tokens * 2500 + usage.completion_tokens * 10000;
  const wrong = [];
  if (!same_text(line.text, text)) wrong.push(`text ${JSON.stringify(text)}`);
  if (line.asked.startsWith('click') && !isDeepStrictEqual(line.value, JSON.parse(text))) wrong.push('value');
  if (line.input !== usage.prompt_tokens || line.output !== usage.completion_tokens) wrong.push(`usage ${JSON.stringify(usage)}`);
  if (Math.round(line.usd * 1e9) !== nano) wrong.push(`usd ${nano / 1e9}`);
  right += wrong.length === 0;
  const short = JSON.stringify(line.text ?? line.problem ?? null).slice(0, 40);
  console.log(`${line.surface} ${short} input ${line.input} output ${line.output} usd ${line.usd} ${wrong.length ? `EXPECTED ${wrong.join(', ')}` : 'right'}`);
}
console.log(`${right} of ${lines.length} right`);
