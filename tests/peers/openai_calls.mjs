// So many calls by the official client, one after the other: what its time and memory are compared with.
// usage: node openai_calls.mjs PORT N     PORT of fault_server.mjs; prints "took N us a call, N MiB"
import OpenAI from 'openai';

const [port, count] = process.argv.slice(2).map(Number);
const client = new OpenAI({ apiKey: 'sk-none', baseURL: `http://127.0.0.1:${port}/ok~node/v1` });
const began = performance.now();
for (let i = 0; i < count; i++) {
  const answer = await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'say ok' }], max_completion_tokens: 16 });
  if (answer.choices[0].message.content !== 'ok') throw new Error('another answer');
}
const took = performance.now() - began;
console.log(`took ${Math.round((took * 1000) / count)} us a call, ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
