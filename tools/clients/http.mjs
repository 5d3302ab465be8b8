// A server on standard streams, offered over HTTP on the loopback: for suites that speak nothing else. Every message passes
// unchanged; each HTTP session is a process of its own, and ends with it.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import http from "node:http";
import readline from "node:readline";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const [port, command, ...commandArguments] = process.argv.slice(2);
const HOSTS = [`127.0.0.1:${port}`, `localhost:${port}`];
const sessions = new Map();

function opened() {
  const child = spawn(command, commandArguments, { stdio: ["pipe", "pipe", "inherit"] });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
    enableDnsRebindingProtection: true,
    allowedHosts: HOSTS,
    allowedOrigins: HOSTS.map((host) => `http://${host}`),
  });
  transport.onmessage = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  transport.onclose = () => {
    sessions.delete(transport.sessionId);
    child.stdin.end();
  };
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    transport.send(JSON.parse(line)).catch((error) => console.error(`not sent: ${error.message}`));
  });
  child.on("exit", () => transport.close());
  return transport;
}

http
  .createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    const transport = known ?? opened();
    if (!known) await transport.start();
    await transport.handleRequest(request, response);
  })
  .listen(Number(port), "127.0.0.1");
