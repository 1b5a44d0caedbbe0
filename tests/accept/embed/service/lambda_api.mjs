// The runtime interface of AWS Lambda, for 60_service.sh: hands out events and keeps the answers.
// usage: node lambda_api.mjs FILE   FILE: a JSON list of {name, event, left_ms}
// Prints {port}, then {handed: NAME} and {name, path, type, answer} as they come, until it is killed.
import { readFileSync } from "node:fs";
import http from "node:http";

const events = JSON.parse(readFileSync(process.argv[2]));
const say = (value) => console.log(JSON.stringify(value));
let at = -1;

const server = http.createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    if (request.url.endsWith("/invocation/next")) {
      at++;
      if (at >= events.length) return;
      response.writeHead(200, {
        "Lambda-Runtime-Aws-Request-Id": `8476a536-e9f4-11e8-9739-${at}`,
        "Lambda-Runtime-Deadline-Ms": String(Date.now() + events[at].left_ms),
        "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-2:123456789012:function:qa",
      });
      response.end(JSON.stringify(events[at].event));
      return say({ handed: events[at].name });
    }
    response.writeHead(202).end();
    const type = request.headers["lambda-runtime-function-error-type"];
    say({ name: events[at].name, path: request.url, type, answer: JSON.parse(body) });
  });
});
server.listen(0, "127.0.0.1", () => say({ port: server.address().port }));
