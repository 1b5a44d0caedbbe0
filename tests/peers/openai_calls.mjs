// So many calls by the official client, one after the other: what its CPU time is compared with.
// usage: node openai_calls.mjs PORT N     PORT of fault_server.mjs
import OpenAI from 'openai';

const [port, count] = process.argv.slice(2);
const client = new OpenAI({ apiKey: 'sk-none', baseURL: `http://127.0.0.1:${port}/ok~node/v1` });
for (let i = 0; i < Number(count); i++) {
  const answer = await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'say ok' }], max_completion_tokens: 16 });
  if (answer.choices[0].message.content !== 'ok') throw new Error('another answer');
}
