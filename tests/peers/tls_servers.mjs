// TLS matrix on loopback: one port per way in which a certificate or handshake is wrong, and a CONNECT proxy.
// The CA and all certificates are made at start by the openssl command, in a temporary folder that goes at the end.
// usage: node tls_servers.mjs    prints {"ready":true,"ca_file":PATH,"ports":{"good":P,...},"journal_port":J}
//   base_url https://localhost:PORT/v1 (or 127.0.0.1); HTTPS_PROXY=http://127.0.0.1:PORT of `proxy`
//   GET http://127.0.0.1:J/    {NAME: {requests, connections, server_names, targets, header_names}}
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as http_server } from 'node:http';
import { createServer as https_server } from 'node:https';
import { connect, createServer as tcp_server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { announce, listen } from './lifeline.mjs';

const folder = mkdtempSync(join(tmpdir(), 'qa-tls-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const at = (name) => join(folder, name);

// ---- Certificates

const day = (offset) => new Date(Date.now() + offset * 86400000).toISOString().replace(/[-:T]|\.\d+/g, '');
const here = 'DNS:localhost,IP:127.0.0.1';

writeFileSync(
  at('openssl.cnf'),
  `
[req]
distinguished_name = name
prompt = no
[name]
CN = qa-host tests
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[ca]
default_ca = made
[made]
new_certs_dir = ${folder}/issued
database = ${folder}/index.txt
certificate = ${folder}/ca.pem
private_key = ${folder}/ca.key
default_md = sha256
policy = any
rand_serial = yes
unique_subject = no
[any]
commonName = supplied
[leaf]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = $ENV::QA_NAMES
`,
);
mkdirSync(at('issued'));
writeFileSync(at('index.txt'), '');

function openssl(names, ...args) {
  execFileSync('openssl', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, QA_NAMES: names },
  });
}

const fresh_key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-config', 'openssl.cnf'];
openssl(
  here,
  'req',
  '-x509',
  ...fresh_key,
  '-keyout',
  'ca.key',
  '-out',
  'ca.pem',
  '-days',
  '3',
  '-extensions',
  'authority',
  '-subj',
  '/CN=qa-host test authority',
);
openssl(
  here,
  'req',
  '-x509',
  ...fresh_key,
  '-keyout',
  'own.key',
  '-out',
  'own.pem',
  '-days',
  '3',
  '-extensions',
  'leaf',
  '-subj',
  '/CN=localhost',
);

/** A certificate of our CA for `names`, valid between two days counted from today: { key, cert }. */
function issue(name, names, from, to) {
  openssl(
    names,
    'req',
    '-new',
    ...fresh_key,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
    '-subj',
    '/CN=qa-host test server',
  );
  openssl(
    names,
    'ca',
    '-batch',
    '-notext',
    '-config',
    'openssl.cnf',
    '-extensions',
    'leaf',
    '-in',
    `${name}.csr`,
    '-out',
    `${name}.pem`,
    '-startdate',
    day(from),
    '-enddate',
    day(to),
  );
  return { key: readFileSync(at(`${name}.key`)), cert: readFileSync(at(`${name}.pem`)) };
}

const good = issue('good', here, -1, 2);
const wrong_host = issue('wrong_host', 'DNS:wrong.example', -1, 2);
const expired = issue('expired', here, -30, -2);
const self_signed = { key: readFileSync(at('own.key')), cert: readFileSync(at('own.pem')) };

// ---- Servers: whoever gets through the handshake is answered in the OpenAI chat shape.

const rows = {};
const row_of = (name) =>
  (rows[name] ??= { requests: 0, connections: 0, server_names: [], targets: [], header_names: [] });

function answer(name) {
  return (request, response) => {
    const row = row_of(name);
    row.requests++;
    row.header_names = [...new Set([...row.header_names, ...Object.keys(request.headers)])];
    request.resume().on('end', () => {
      const choice = {
        index: 0,
        message: { role: 'assistant', content: 'ok', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      };
      const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1700000000,
          model: 'none',
          choices: [choice],
          usage,
        }),
      );
    });
  };
}

const secure = (options) => (name) =>
  https_server(
    {
      ...options,
      SNICallback: (server_name, done) => {
        row_of(name).server_names.push(server_name);
        done(null, options.contexts?.[server_name]);
      },
    },
    answer(name),
  );

/** CONNECT to loopback only; everything else is refused. */
function proxy(name) {
  return http_server((request, response) => response.writeHead(405).end()).on('connect', (request, client) => {
    const [host, port] = request.url.split(':'),
      row = row_of(name);
    row.requests++;
    row.targets.push(request.url);
    row.header_names = [...new Set([...row.header_names, ...Object.keys(request.headers)])];
    client.on('error', () => {});
    if (!['localhost', '127.0.0.1'].includes(host)) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const upstream = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    }).on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
}

const servers = {
  good: secure(good),
  sni_only: secure({ ...wrong_host, contexts: { localhost: createSecureContext(good) } }),
  wrong_host: secure(wrong_host),
  expired: secure(expired),
  self_signed: secure(self_signed),
  tls11_only: secure({ ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }),
  silent_accept: () => tcp_server((socket) => socket.on('error', () => {}).resume()),
  reset_in_handshake: () =>
    tcp_server((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy())),
  plain_http: (name) => http_server(answer(name)),
  proxy,
};

const ports = {};
for (const [name, make] of Object.entries(servers)) {
  const server = make(name);
  server.on('connection', () => row_of(name).connections++).on('tlsClientError', () => {});
  ports[name] = await listen(server);
}
const journal_port = await listen(http_server((request, response) => response.end(JSON.stringify(rows))));
announce({ ca_file: at('ca.pem'), ports, journal_port });
