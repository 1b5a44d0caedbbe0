// Makes a recorded cassette one to keep: purposes and answers only, found by their order, without pictures and questions.
// Prompts may then change without a new recording. usage: node slim_cassette.mjs RECORDED KEPT
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [recorded, kept] = process.argv.slice(2);
const lines = readFileSync(join(recorded, 'index.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const slim = lines.map(({ version, purpose, answer, error }, i) => {
  if (answer) {
    answer.id = `answer_${i + 1}`;
    // Answers are read by people, too.
    for (const [n, call] of (answer.tool_calls ?? []).entries()) call.id = `call_${i + 1}_${n + 1}`;
  }
  return JSON.stringify({ version, key: '-', text_key: '-', purpose, images: [], request: {}, ...(answer ? { answer } : { error }) });
});
mkdirSync(kept, { recursive: true });
writeFileSync(join(kept, 'index.jsonl'), slim.join('\n') + '\n');
