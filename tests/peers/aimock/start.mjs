// Starts aimock (a scripted server that nobody here wrote) on the fixtures of this folder; what fits none is a 404.
// usage: node aimock/start.mjs [FIXTURES]    prints {"ready":true,"port":P,"journal":URL,"surfaces":{...}}
//   a surface is {dialect, base_url, query?}; GET /__aimock/journal lists requests
//   POST /__aimock/chaos {"rateLimitRate":1} and DELETE /__aimock/chaos switch faults on and off
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LLMock } from '@copilotkit/aimock';
import { announce } from '../lifeline.mjs';

const fixtures = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), 'fixtures');
const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
mock.loadFixtureDir(fixtures);
const origin = (await mock.start()).replace('localhost', '127.0.0.1');

const surfaces = {
  openai_chat: { dialect: 'openai-chat', base_url: `${origin}/v1` },
  openai_responses: { dialect: 'openai-responses', base_url: `${origin}/v1` },
  anthropic: { dialect: 'anthropic-messages', base_url: origin },
  gemini: { dialect: 'openai-chat', base_url: `${origin}/v1beta/openai` },
  azure: { dialect: 'openai-chat', base_url: `${origin}/openai/deployments/gpt-4o`, query: 'api-version=2024-10-21' },
  openrouter: { dialect: 'openai-chat', base_url: `${origin}/api/v1` },
  ollama: { dialect: 'openai-chat', base_url: `${origin}/v1` },
};
announce({ port: Number(new URL(origin).port), journal: `${origin}/__aimock/journal`, surfaces }, () => mock.stop());
