// aimock as a player of one game: what a question's form asks for is filled in from decisions.json (../player.mjs).
// usage: node aimock/play.mjs GAME [LIE]    prints {"ready":true,"port":P,"journal":URL}
//   base_url http://127.0.0.1:P/v1, chat completions. One run a server: decisions are given once, in their order.
import { LLMock } from '@copilotkit/aimock';
import { announce } from '../lifeline.mjs';
import { new_player } from '../player.mjs';

const [game, lie] = process.argv.slice(2);
const player = new_player({ game, lie });
const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
const usage = (body, text) => {
  const input = 400 + Math.round(JSON.stringify(body.messages).replace(/base64,[^"]+/g, '').length / 4);
  const output = Math.max(1, Math.round(text.length / 4));
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
};
mock.addFixture({
  match: { predicate: () => true },
  response: (body) => {
    const said = player.answer(body);
    if (said.tools) {
      const toolCalls = said.tools.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) }));
      return { toolCalls, usage: usage(body, JSON.stringify(toolCalls)) };
    }
    const content = said.refuse ?? (typeof said.say === 'string' ? said.say : JSON.stringify(said.say));
    return { content, usage: usage(body, content) };
  },
});
const origin = (await mock.start()).replace('localhost', '127.0.0.1');
announce({ port: Number(new URL(origin).port), journal: `${origin}/__aimock/journal` }, () => mock.stop());
