// Clients of `qa-host serve`, for 60_service.sh.
// usage: node clients.mjs abuse|load PORT TOKEN GAMES PID [COUNT]   prints one JSON line
//   abuse: what no client should send; how each was answered, and how many descriptors the service has afterwards
//   load: COUNT requests by 8 clients, a tenth malformed, a tenth cancelled; TERM to PID after half of them
import { readdirSync } from "node:fs";
import http from "node:http";
import net from "node:net";

const [mode, port, token, games, pid, count = "0"] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });
const fixtures = ["blank", "boot_exception", "missing_script", "js_loop"];
const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;

function call(method, path, body, type = "application/json") {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
    const request = http.request({ port, method, path, agent, headers }, (response) => {
      let text = "";
      response.on("data", (piece) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", () => resolve({ status: 0, text }));
    });
    request.on("error", () => resolve({ status: 0, text: "" }));
    request.end(body);
  });
}

/// Sends bytes and waits until the server closes: the status of the first answer, and the milliseconds.
function raw(bytes, more) {
  return new Promise((resolve) => {
    const began = Date.now();
    const socket = net.connect(port, "127.0.0.1");
    let text = "";
    const end = () => resolve({ status: Number(text.slice(9, 12)) || 0, answers: text.split("HTTP/1.1 ").length - 1, ms: Date.now() - began });
    socket.on("data", (piece) => (text += piece));
    socket.on("error", () => {});
    socket.on("close", end);
    socket.write(bytes);
    if (more) more(socket);
  });
}

const event = (game, config = {}) =>
  JSON.stringify({
    gameUrl: `${games}/${game}/`,
    config: { maxDuration: 8000, options: { ready_ms: 1500, interaction_ms: 1500 }, ...config },
  });

async function ended(id) {
  return (await call("GET", `/runs/${id}/events`)).text.includes("id: end");
}

async function settled(wanted) {
  for (let i = 0; i < 100 && descriptors() > wanted; i++) await new Promise((done) => setTimeout(done, 100));
  return descriptors();
}

async function abuse() {
  const bearer = `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const first = await call("POST", "/runs", event("blank"));
  await ended(JSON.parse(first.text).id);
  agent.destroy();
  const before = await settled(0);
  const piece = Buffer.alloc(1 << 20, "x");
  let sent = 0;
  const gigabyte = await raw(`POST /runs HTTP/1.1\r\n${bearer}Content-Length: 1073741824\r\n\r\n`, (socket) => {
    const more = () => {
      while (!socket.destroyed && sent < 1024 && socket.write(piece)) sent++;
    };
    socket.on("drain", more);
    more();
  });
  const slow = await Promise.all([
    raw("POST /runs HT"),
    raw(`POST /runs HTTP/1.1\r\n${bearer}Content-Length: 100\r\n\r\n{`),
    raw("GET /healthz HTTP/1.1\r\nX: ", (socket) => {
      const drip = setInterval(() => socket.write("y"), 200);
      socket.on("close", () => clearInterval(drip));
    }),
  ]);
  const pipelined = await raw("GET /healthz HTTP/1.1\r\n\r\n".repeat(50) + "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  const flood = await raw("GET /healthz HTTP/1.1\r\n" + "X-Y: z\r\n".repeat(20000) + "\r\n");
  const idle = Array.from({ length: 400 }, () => net.connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(idle.map((socket) => new Promise((done) => socket.on("connect", done))));
  const beside = await call("GET", "/healthz");
  const most = descriptors();
  for (const socket of idle) socket.destroy();
  agent.destroy();
  const deep = (await call("POST", "/runs", '{"metadata":' + "[".repeat(100000))).status;
  const others = [];
  for (const [method, path, body, type] of [
    ["POST", "/runs", "{"], ["POST", "/runs", "[]"], ["POST", "/runs", event("blank"), "text/plain"], ["PUT", "/runs", "{}"],
    ["GET", "/runs/0000000000000000"], ["GET", "/runs/..%2f..%2fetc"], ["POST", "/runs", '{"gameUrl":"file:///etc/passwd"}'],
    ["POST", "/runs", '{"gameUrl":"http://169.254.169.254/"}'], ["POST", "/runs", event("blank", { strategy: "../x.lua" })],
  ]) others.push((await call(method, path, body, type)).status);
  agent.destroy();
  return { gigabyte: gigabyte.status, sent_mb: sent, slow_ms: Math.max(...slow.map((one) => one.ms)),
    slow_answers: slow.reduce((sum, one) => sum + one.answers, 0), pipelined: pipelined.answers, flood: flood.status,
    beside: beside.status, most, deep, others: others.join(" "), before, after: await settled(before) };
}

const malformed = ["{", "[1]", '{"gameUrl":7}', '{"gameUrl":"http://10.0.0.1/"}', event("blank", { strategy: "a/b" })];

async function load() {
  const outcome = { accepted: [], cancelled: 0, malformed: 0, malformed_refused: 0, busy: 0, stopped: 0, unknown: 0 };
  let next = 0, told = false;
  async function one(i) {
    if (i % 10 === 3) {
      outcome.malformed++;
      const { status } = await call("POST", "/runs", malformed[(i / 10) % malformed.length | 0]);
      outcome.malformed_refused += status === 400 || (told && (status === 503 || status === 0));
      return;
    }
    for (;;) {
      const { status, text } = await call("POST", "/runs", event(fixtures[i % fixtures.length]));
      if (status === 429) {
        outcome.busy++;
        await new Promise((done) => setTimeout(done, 300));
        continue;
      }
      if (status !== 202) return void (told && (status === 503 || status === 0) ? outcome.stopped++ : outcome.unknown++);
      const { id } = JSON.parse(text);
      outcome.accepted.push(id);
      if (i % 10 === 7) {
        outcome.cancelled++;
        if (i % 20 === 7) await new Promise((done) => setTimeout(done, 1200));
        await call("DELETE", `/runs/${id}`);
      }
      return void (await ended(id));
    }
  }
  async function client() {
    while (next < Number(count)) {
      const i = next++;
      if (i === Math.floor(Number(count) / 2)) {
        told = true;
        process.kill(Number(pid), "SIGTERM");
      }
      await one(i);
    }
  }
  await Promise.all(Array.from({ length: 8 }, client));
  agent.destroy();
  return outcome;
}

console.log(JSON.stringify(mode === "abuse" ? await abuse() : await load()));
