// Checks of the peers themselves: a test against a peer that lies proves nothing. Ends with "N passed, N failed".
// usage: node check_peers.mjs [WORD]    only checks whose name contains WORD
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './lifeline.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const at = (name) => join(here, name);
const user = (text) => ({ model: 'gpt-4o', messages: [{ role: 'user', content: text }], max_completion_tokens: 16 });

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    /* that it is none is what some modes are about */
  }
  return { status: response.status, headers: response.headers, text, value };
}

const get = async (url) => (await fetch(url)).json();

/** Everything that the server at `port` says to `text`, until it closes or falls silent. */
function exchange(port, text, silent_ms = 5000) {
  return new Promise((done) => {
    const parts = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setTimeout(silent_ms, () => socket.destroy());
    socket
      .on('data', (bytes) => parts.push(bytes))
      .on('error', (error) => parts.push(Buffer.from(error.code)))
      .on('close', () => done(Buffer.concat(parts)));
  });
}

const request_text = (path) => {
  const body = JSON.stringify(user('hi'));
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

async function with_peer(script, use, args = []) {
  const { facts, stop } = await start(at(script), args);
  try {
    await use(facts);
  } finally {
    await stop();
  }
}

const checks = {
  async 'every server ends when its input closes and on SIGTERM'() {
    for (const script of [
      'fault_server.mjs',
      'tls_servers.mjs',
      'scripted_model.mjs',
      'aimock/start.mjs',
      'tiny_model/serve.mjs',
    ]) {
      for (const how of ['input', 'SIGTERM']) {
        const child = spawn(process.execPath, [at(script)], { stdio: ['pipe', 'pipe', 'inherit'] });
        const line = await new Promise((done) => child.stdout.once('data', done));
        assert.equal(JSON.parse(line).pid, child.pid);
        const ended = new Promise((done) => child.once('exit', (code) => done(code)));
        if (how === 'input') child.stdin.end();
        else child.kill('SIGTERM');
        const late = new Promise((done) => setTimeout(done, 10000, 'still running').unref());
        const code = await Promise.race([ended, late]);
        child.kill('SIGKILL');
        assert.equal(code, 0, `${script} by ${how}`);
      }
    }
  },
  async 'a fault counts attempts by mode and tag, and bills what it had read whole'() {
    await with_peer('fault_server.mjs', async ({ port }) => {
      const url = (mode) => `http://127.0.0.1:${port}/${mode}/v1/chat/completions`;
      for (const tag of ['a', 'b']) {
        assert.equal((await post(url(`retry_after_1~${tag}`), user('hi'))).headers.get('retry-after'), '1');
        assert.equal((await post(url(`retry_after_1~${tag}`), user('hi'))).value.choices[0].message.content, 'ok');
      }
      await exchange(port, request_text('/hang/v1/chat/completions'), 500);
      await exchange(port, request_text('/hang~half/v1/chat/completions').slice(0, -5), 500);
      const { modes, connections } = await get(`http://127.0.0.1:${port}/__journal`);
      assert.deepEqual([modes['retry_after_1~a'].requests, modes['retry_after_1~a'].billed.calls], [2, 1]);
      assert.deepEqual([modes.hang.complete, modes.hang.billed.calls], [1, 1]);
      assert.deepEqual(
        [modes['hang~half'].requests, modes['hang~half'].complete, modes['hang~half'].billed.calls],
        [1, 0, 0],
      );
      assert.equal(modes['hang~half'].bytes_in, request_text('/hang~half/v1/chat/completions').length - 5);
      assert.equal(JSON.stringify(connections).includes('__journal'), false);
    });
  },
  async 'faults are on the wire as their names say'() {
    await with_peer('fault_server.mjs', async ({ port, other_port }) => {
      const said = async (mode, silent_ms) =>
        (await exchange(port, request_text(`/${mode}/v1/chat/completions`), silent_ms)).toString('latin1');
      const body = (text) => text.slice(text.indexOf('\r\n\r\n') + 4);
      assert.match(await said('quota'), /^HTTP\/1\.1 429 [^]*"code":"insufficient_quota"/);
      assert.match(await said('status.529'), /^HTTP\/1\.1 529 /);
      assert.match(await said('loading'), /^HTTP\/1\.1 503 [^]*Loading model/);
      assert.equal(await said('reset_before_head'), 'ECONNRESET');
      assert.match(await said('reset_after_head'), /^HTTP\/1\.1 200 [^]*ECONNRESET$/);
      assert.equal(await said('hang', 1000), '');
      assert.match(await said('head_then_silence', 1000), /^HTTP\/1\.1 200 [^]*\r\n\r\n$/);
      assert.equal(body(await said('slow_body.60000', 1000)).length, 1);
      const short = await said('short_body');
      assert.ok(body(short).length < Number(/content-length: (\d+)/.exec(short)[1]));
      assert.throws(() => JSON.parse(body(short)));
      assert.ok(body(await said('bom')).startsWith('\xef\xbb\xbf{'));
      assert.match(await said('two_jsons'), /}{/);
      assert.match(await said('number_1e999'), /1e999/);
      assert.match(await said('depth_bomb'), /\[{100000}\]{100000}/);
      assert.match(await said('gzip'), /content-encoding: gzip[^]*\x1f\x8b/);
      assert.match(await said('redirect'), new RegExp(`^HTTP/1.1 307 [^]*location: http://127.0.0.1:${other_port}/`));
      assert.equal((await exchange(port, request_text('/big_body.64/v1/chat/completions'))).length >> 20, 64);
      assert.doesNotMatch(await said('sse_cut'), /\[DONE\]/);
      assert.match(await said('sse_multibyte'), /\xf0\x9f\x8e\xae[^]*\[DONE\]/);
    });
  },
  async 'a storm bills every request that it did not refuse'() {
    await with_peer('fault_server.mjs', async ({ port }) => {
      const seen = { answered: 0, refused: 0, lost: 0 };
      await Promise.all(
        Array.from({ length: 200 }, async () => {
          const text = (await exchange(port, request_text('/storm.3/v1/chat/completions'), 2000)).toString('latin1');
          seen[/^HTTP\/1\.1 200/.test(text) ? 'answered' : /^HTTP\/1\.1 [45]/.test(text) ? 'refused' : 'lost']++;
        }),
      );
      const { billed, complete } = (await get(`http://127.0.0.1:${port}/__journal`)).modes['storm.3'];
      assert.equal(complete, 200);
      assert.ok(seen.answered > 80 && seen.refused > 10 && seen.lost > 5, JSON.stringify(seen));
      assert.ok(billed.calls >= seen.answered && billed.calls <= 200 - seen.refused, JSON.stringify({ billed, seen }));
    });
  },
  async 'certificates are refused for their own reason, and the good one is accepted'() {
    await with_peer('tls_servers.mjs', async ({ ports, ca_file }) => {
      const expected = {
        good: 0,
        sni_only: 0,
        wrong_host: 60,
        expired: 60,
        self_signed: 60,
        tls11_only: 35,
        silent_accept: 28,
        plain_http: 35,
      };
      for (const [name, code] of Object.entries(expected)) {
        const options = ['-s', '-o', '/dev/null', '-m', '2', '--noproxy', '*', '--cacert', ca_file];
        const result = await new Promise((done) =>
          spawn('curl', [...options, '-d', '{}', `https://localhost:${ports[name]}/v1/chat/completions`]).once(
            'exit',
            done,
          ),
        );
        assert.equal(result, code, name);
      }
    });
  },
  async 'a scripted model is read by both vendors, and its answers fit what they publish'() {
    const { default: OpenAI } = await import('openai');
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    await with_peer('scripted_model.mjs', async ({ port }) => {
      const origin = `http://127.0.0.1:${port}`,
        keys = { apiKey: 'none', maxRetries: 0 };
      const usage = { input: 5000, cached: 3000, cache_write: 1000, output: 44, reasoning: 4 };
      await fetch(`${origin}/__script`, {
        method: 'PUT',
        body: JSON.stringify([
          {
            when: 'computer',
            actions: [{ type: 'click', button: 'left', x: 10, y: 20 }],
            safety_checks: [{ id: 'sc_1', code: 'malicious_instructions', message: 'careful' }],
            usage,
          },
          {
            when: 'toolset',
            tools: [{ name: 'left_click', input: { coordinate: [3, 4] }, toolset_name: 'computer' }],
            usage,
          },
          { when: 'say', say: { text: '日本 🎮' }, usage },
          { when: 'refuse', refuse: 'no' },
          { when: 'cut', say: 'half', finish: 'length', usage: null },
        ]),
      });
      const openai = new OpenAI({ ...keys, baseURL: `${origin}/v1` }),
        anthropic = new Anthropic({ ...keys, baseURL: origin });
      const preview = { type: 'computer_use_preview', environment: 'browser', display_width: 800, display_height: 600 };
      const responses = (input, tools) => openai.responses.create({ model: 'm', input, tools });
      const one = await responses('computer', [preview]),
        many = await responses('computer', [{ type: 'computer' }]);
      assert.deepEqual(
        [one.output[0].action, many.output[0].actions],
        [{ type: 'click', button: 'left', x: 10, y: 20 }, [{ type: 'click', button: 'left', x: 10, y: 20 }]],
      );
      await assert.rejects(responses('computer', []), /declares no computer tool/);
      const message = await anthropic.messages.create({
        model: 'm',
        max_tokens: 9,
        messages: user('toolset').messages,
      });
      assert.deepEqual(
        [message.usage.input_tokens, message.usage.cache_read_input_tokens, message.usage.cache_creation_input_tokens],
        [1000, 3000, 1000],
      );
      const answers = { 'openai-responses': [one, many], 'openai-chat': [], 'anthropic-messages': [message] };
      for (const text of ['say', 'refuse', 'cut']) {
        answers['openai-responses'].push(await responses(text));
        answers['openai-chat'].push(await openai.chat.completions.create(user(text)));
        if (text !== 'cut')
          answers['anthropic-messages'].push(
            await anthropic.messages.create({ model: 'm', max_tokens: 9, messages: user(text).messages }),
          );
      }
      const streams = [
        await openai.chat.completions
          .stream({ ...user('say'), stream_options: { include_usage: true } })
          .finalContent(),
        (await openai.responses.stream({ model: 'm', input: 'say' }).finalResponse()).output_text,
        await anthropic.messages.stream({ model: 'm', max_tokens: 9, messages: user('say').messages }).finalText(),
      ];
      assert.deepEqual(streams, Array(3).fill('{"text":"日本 🎮"}'));
      const lines = Object.entries(answers).flatMap(([dialect, list]) =>
        list.map(({ _request_id, output_text, ...body }) => JSON.stringify({ dialect, kind: 'answer', body })),
      );
      const judged = spawnSync(process.execPath, [at('validate_bodies.mjs')], {
        input: lines.join('\n'),
        encoding: 'utf8',
      });
      assert.deepEqual(JSON.parse(judged.stdout).violations, []);
      assert.equal((await get(`${origin}/__bodies`)).length, 15);
    });
  },
  async 'aimock says its fixtures and their usage on every surface'() {
    await with_peer('aimock/start.mjs', async ({ surfaces }) => {
      const paths = {
        'openai-chat': '/chat/completions',
        'openai-responses': '/responses',
        'anthropic-messages': '/v1/messages',
      };
      for (const [name, { dialect, base_url, query }] of Object.entries(surfaces)) {
        const body =
          dialect === 'openai-responses'
            ? { model: 'gpt-4o', input: 'say hello' }
            : { ...user('say hello'), max_tokens: 9 };
        const { value } = await post(`${base_url}${paths[dialect]}${query ? `?${query}` : ''}`, body, {
          'authorization': 'Bearer none',
          'x-api-key': 'none',
        });
        const { prompt_tokens, input_tokens, completion_tokens, output_tokens } = value.usage;
        assert.deepEqual([prompt_tokens ?? input_tokens, completion_tokens ?? output_tokens], [1200, 55], name);
        assert.match(JSON.stringify(value), /"hello"/, name);
      }
      assert.equal(
        (await post(`${surfaces.openai_chat.base_url}/chat/completions`, user('no fixture has this'))).status,
        404,
      );
    });
  },
  async 'the tiny model keeps to a schema, repeats itself by seed and stops at its limit'() {
    const { make_gguf } = await import('./tiny_model/make_gguf.mjs');
    const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(hash(make_gguf(1)), hash(make_gguf(1)));
    assert.notEqual(hash(make_gguf(1)), hash(make_gguf(2)));
    await with_peer('tiny_model/serve.mjs', async ({ port }) => {
      const url = `http://127.0.0.1:${port}/v1/chat/completions`;
      const schema = {
        type: 'object',
        properties: { action: { enum: ['click', 'wait'] }, x: { type: 'integer' } },
        required: ['action', 'x'],
        additionalProperties: false,
      };
      const shaped = {
        ...user('what next?'),
        max_completion_tokens: 300,
        seed: 7,
        response_format: { type: 'json_schema', json_schema: { name: 'action', strict: true, schema } },
      };
      const [first, second] = [await post(url, shaped), await post(url, shaped)];
      const choice = first.value.choices[0];
      assert.equal(choice.message.content, second.value.choices[0].message.content);
      assert.deepEqual(Object.keys(JSON.parse(choice.message.content)), ['action', 'x']);
      const cut = (await post(url, { ...shaped, max_completion_tokens: 3 })).value;
      assert.deepEqual([cut.choices[0].finish_reason, cut.usage.completion_tokens], ['length', 3]);
    });
  },
  async 'the price oracle counts cached input apart and says which model it does not know'() {
    const folder = mkdtempSync(join(tmpdir(), 'qa-prices-'));
    const oracle = (...models) => {
      writeFileSync(join(folder, 'prices.json'), JSON.stringify({ rows: [{ provider: 'openai', models }] }));
      const said = spawnSync(process.execPath, [at('price_oracle.mjs'), join(folder, 'prices.json')], { encoding: 'utf8' });
      return { ...said, lines: said.stdout.trim().split('\n').map((line) => JSON.parse(line)) };
    };
    try {
      const { lines, status } = oracle('gpt-4o');
      const cached = lines.find(({ usage }) => usage?.cached_input === 8192);
      const dollars = ((10007 - 8192) * 2.5 + 8192 * 1.25 + 333 * 10) / 1e6;
      assert.ok(status === 0 && Math.abs(cached.usd - dollars) < 1e-9, JSON.stringify(cached));
      const unknown = oracle('none-such');
      assert.equal(unknown.status, 1);
      assert.match(unknown.stderr, /none-such: no price/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  async 'a player gives its decisions in the form that is asked for, once each, and in pixels of the picture'() {
    const picture = `data:image/png;base64,${Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.from([0, 0, 2, 128, 0, 0, 1, 104]), Buffer.alloc(5)]).toString('base64')}`;
    const point = { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } };
    const target = { anyOf: [{ anyOf: [point, { type: 'object', properties: { key: { type: 'string' } } }] }, { type: 'null' }] };
    const action = { type: 'object', properties: { action: { type: 'string', enum: ['click', 'keypress', 'complete'] }, target, to: { anyOf: [point, { type: 'null' }] } } };
    const groups = { type: 'object', properties: { groups: { type: 'array', items: { type: 'object', properties: { actions: { type: 'array', items: action } } } } } };
    const asked = (schema) => ({ ...user([{ type: 'text', text: 'x' }, { type: 'image_url', image_url: { url: picture } }]), response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } });
    const value = async (port, schema) => JSON.parse((await post(`http://127.0.0.1:${port}/v1/chat/completions`, asked(schema))).value.choices[0].message.content);
    await with_peer(
      'aimock/play.mjs',
      async ({ port }) => {
        // Half the size of the page.
        assert.deepEqual(await value(port, action), { action: 'click', target: { x: 140, y: 72 }, to: null });
        const sizes = [];
        for (let i = 0; i < 4; i++) sizes.push(((await value(port, groups)).groups[0]?.actions ?? []).length);
        assert.deepEqual(sizes, [1, 5, 5, 0]);
        assert.equal((await value(port, action)).action, 'complete');
      },
      ['rune_pairs'],
    );
    await with_peer('scripted_model.mjs', async ({ port }) => {
      const url = `http://127.0.0.1:${port}`;
      const script = (rules) => fetch(`${url}/__script`, { method: 'PUT', body: JSON.stringify(rules) });
      await script([{ player: { game: 'ledge_jumper' } }]);
      const functions = [{ type: 'function', function: { name: 'press', parameters: { type: 'object', properties: { key: { type: 'string' } } } } }];
      const call = (await post(`${url}/v1/chat/completions`, { ...user('x'), tools: functions })).value.choices[0].message.tool_calls[0].function;
      assert.deepEqual([call.name, call.arguments], ['press', '{"key":"ArrowRight"}']);
      const computer = (await post(`${url}/v1/responses`, { model: 'm', input: 'x', tools: [{ type: 'computer' }] })).value.output[0];
      assert.deepEqual(computer.actions, [{ type: 'keypress', keys: ['SPACE'] }]);
      const toolset = { model: 'm', messages: [{ role: 'user', content: 'x' }], max_tokens: 9, tools: [{ type: 'computer_toolset_20260801' }] };
      const use = (await post(`${url}/v1/messages`, toolset)).value.content[0];
      assert.deepEqual([use.name, use.toolset_name, use.input], ['key', 'computer', { text: 'space' }]);
      await script([{ player: { lie: 'quote' } }]);
      const quoting = { ...asked(action), messages: [{ role: 'user', content: 'Answer as {"action": "click", "target": {"x": 1}}, say.' }] };
      assert.deepEqual(JSON.parse((await post(`${url}/v1/chat/completions`, quoting)).value.choices[0].message.content), { action: 'click', target: { x: 1 } });
      await script([{ player: { lie: 'refuse' } }]);
      assert.match((await post(`${url}/v1/chat/completions`, asked(action))).value.choices[0].message.refusal, /cannot/);
    });
  },
  async 'the judge catches every bad body of its samples and passes every good one'() {
    const { stdout, stderr } = spawnSync(process.execPath, [at('validate_bodies.mjs'), '--self-test'], {
      encoding: 'utf8',
    });
    assert.match(stdout, /^\d+ passed, 0 failed$/m, stdout + stderr);
  },
};

let failed = 0;
const wanted = Object.entries(checks).filter(([name]) => name.includes(process.argv[2] ?? ''));
for (const [name, check] of wanted) {
  try {
    await check();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n        ${String(error.stack).split('\n').slice(0, 12).join('\n        ')}`);
  }
}
console.log(`${wanted.length - failed} passed, ${failed} failed`);
process.exit(failed || !wanted.length ? 1 : 0);
