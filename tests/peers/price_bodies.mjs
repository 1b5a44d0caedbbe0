// What requests cost by the vendor's own rules, reckoned apart from the host: text by the model's tokenizer, pictures by their tiles,
// answers once as they came and once as long as they may be.
// usage: node price_bodies.mjs BODIES.json RULES.json PRICES.json     the list of scripted_model.mjs, and what it was told to say
//   prints a line a call, then "usd N as answered, N at most"
import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

const model = 'gpt-4o';
const [bodies, rules, prices] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
const price = JSON.parse(prices).rows.find((row) => row.provider === 'openai' && row.models.includes(model));
const tokens = (text) => encode(text).length;

/** As the scripted model chooses it. */
function answer_to(text) {
  const { say } = JSON.parse(rules).find(({ when }) => text.includes(when ?? ''));
  return JSON.stringify(say);
}

/** Width and height of a PNG in a data URL. */
function size_of(url) {
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** 85, and 170 for each square of 512 once the picture is within 2048 x 2048 and its shorter side is 768 at most. */
function tiles([width, height]) {
  const scale = Math.min(1, 2048 / Math.max(width, height), 768 / Math.min(width, height));
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

let answered = 0;
let at_most = 0;
for (const { body } of JSON.parse(bodies)) {
  if (body.model !== model) throw new Error(`${body.model} is not ${model}`);
  const parts = body.messages.flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : content));
  const pictures = parts.filter((part) => part.image_url).map((part) => size_of(part.image_url.url));
  const texts = parts.flatMap((part) => part.text ?? []);
  const text = texts.reduce((sum, each) => sum + tokens(each), 0);
  const output = tokens(answer_to(texts.join('\n')));
  const schema = tokens(JSON.stringify(body.response_format ?? ''));
  const input = text + schema + 8 * body.messages.length + pictures.reduce((sum, size) => sum + tiles(size), 0);
  const usd = (count) => (input * price.input + count * price.output) / 1e6;
  answered += usd(output);
  at_most += usd(body.max_completion_tokens);
  const sizes = pictures.map((size) => size.join('x')).join(' ');
  console.log(`text ${text} schema ${schema} pictures ${sizes} input ${input} output ${output} of ${body.max_completion_tokens}`);
}
console.log(`usd ${answered.toFixed(5)} as answered, ${at_most.toFixed(5)} at most`);
