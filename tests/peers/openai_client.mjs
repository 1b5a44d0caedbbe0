// Baseline of the fault table: the official openai client against every fault mode and every TLS port.
// usage: node openai_client.mjs [MODE...]    starts both servers; progress on stderr, one JSON object on stdout:
//   {"settings":{...},"rows":[{"mode","attempts","ms","outcome"}]}
//   outcome is "ok: TEXT", "cut: nothing after N ms" or the error. A row has a client of its own.
import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { start } from './lifeline.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const settings = {
  client: `openai ${(await import('openai/version')).VERSION}`,
  node: process.version,
  max_retries: 2,
  timeout_ms: 500,
  cut_ms: 6000,
};
const streamed = (mode) => mode.startsWith('sse');
// Named numbers where a mode takes one; status rows are the codes that decide about a retry.
const extra = ['retry_after_seconds.3600', 'status.404', 'status.408', 'status.409', 'status.422', 'status.502'];
const left_out = ['storm', 'status', 'retry_after_seconds', 'delay'];

async function ask(client, mode, signal) {
  const request = { model: 'gpt-4o', messages: [{ role: 'user', content: 'say ok' }], max_completion_tokens: 16 };
  if (!streamed(mode)) {
    const answer = await client.chat.completions.create(request, { signal });
    if (!answer || typeof answer !== 'object')
      return `ok: ${typeof answer} of length ${answer?.length ?? 0} instead of an answer`;
    if (!answer.choices?.[0]) return `ok: an answer without choices, keys ${Object.keys(answer)}`;
    const { message, finish_reason } = answer.choices[0];
    const text = JSON.stringify(message.content)?.slice(0, 60);
    return `ok: ${text} finish ${finish_reason} usage ${JSON.stringify(answer.usage ?? null)}`;
  }
  let text = '',
    usage = null;
  for await (const chunk of await client.chat.completions.create(
    { ...request, stream: true, stream_options: { include_usage: true } },
    { signal },
  )) {
    text += chunk.choices?.[0]?.delta?.content ?? '';
    usage = chunk.usage ?? usage;
  }
  return `ok: ${JSON.stringify(text.slice(0, 60))} usage ${JSON.stringify(usage)}`;
}

function told({ name, constructor, status, code, message, cause }) {
  const reason = cause && (cause.code ?? cause.cause?.code ?? String(cause.message).slice(0, 80));
  const kind = [constructor?.name ?? name, status, code].filter(Boolean).join(' ');
  return `${kind}: ${String(message).slice(0, 120)}${reason ? ` (${reason})` : ''}`;
}

async function row(mode, baseURL) {
  const client = new OpenAI({
    baseURL,
    apiKey: 'sk-qa-canary',
    maxRetries: settings.max_retries,
    timeout: settings.timeout_ms,
    logLevel: 'off',
  });
  const cut = new AbortController();
  const began = performance.now();
  const late = new Promise((done) =>
    setTimeout(() => {
      cut.abort();
      done(`cut: nothing after ${settings.cut_ms} ms`);
    }, settings.cut_ms).unref(),
  );
  const outcome = await Promise.race([ask(client, mode, cut.signal).catch(told), late]);
  return { mode, ms: Math.round(performance.now() - began), outcome };
}

async function fault_rows(wanted) {
  const { facts, stop } = await start(join(here, 'fault_server.mjs'));
  const origin = `http://127.0.0.1:${facts.port}`;
  const modes = wanted.length ? wanted : [...facts.modes.filter((mode) => !left_out.includes(mode)), ...extra];
  const rows = [];
  for (const mode of modes) {
    const got = await row(mode, `${origin}/${mode}/v1`);
    const journal = (await (await fetch(`${origin}/__journal`)).json()).modes;
    const redirected =
      mode === 'redirect' && journal.redirected
        ? { key_sent_to_other_origin: journal.redirected.header_names.includes('authorization') }
        : {};
    rows.push({ mode, attempts: journal[mode]?.requests ?? 0, ms: got.ms, outcome: got.outcome, ...redirected });
    console.error(`${mode}: ${rows.at(-1).attempts} attempts, ${got.ms} ms, ${got.outcome}`);
  }
  await stop();
  return rows;
}

/** Runs in a process of its own, since node reads NODE_EXTRA_CA_CERTS at its start. */
async function tls_rows({ ports, journal_port }) {
  const rows = [];
  for (const [name, port] of Object.entries(ports).filter(([each]) => each !== 'proxy')) {
    const { ms, outcome } = await row(`tls ${name}`, `https://localhost:${port}/v1`);
    const seen = (await (await fetch(`http://127.0.0.1:${journal_port}/`)).json())[name];
    rows.push({ mode: `tls ${name}`, attempts: seen?.connections ?? 0, ms, outcome });
    console.error(`tls ${name}: ${seen?.connections ?? 0} connections, ${ms} ms, ${outcome}`);
  }
  return rows;
}

async function tls_rows_in_a_child() {
  const { facts, stop } = await start(join(here, 'tls_servers.mjs'));
  const child = fork(fileURLToPath(import.meta.url), ['--tls', JSON.stringify(facts)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: facts.ca_file },
  });
  const rows = await new Promise((done, failed) =>
    child.once('message', done).once('exit', (code) => failed(new Error(`the TLS rows ended with ${code}`))),
  );
  await stop();
  return rows;
}

const [first, given] = process.argv.slice(2);
if (first === '--tls') {
  process.send(await tls_rows(JSON.parse(given)), () => process.exit(0));
} else {
  const wanted = process.argv.slice(2);
  const rows = [...(await fault_rows(wanted)), ...(wanted.length ? [] : await tls_rows_in_a_child())];
  console.log(JSON.stringify({ settings, rows }));
  process.exit(0);
}
