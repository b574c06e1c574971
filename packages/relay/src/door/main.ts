#!/usr/bin/env node
import { dirname, join } from "node:path";
import process from "node:process";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CURRENT_SOCKET, DOOR_ENV } from "./door-contract.ts";
import { createToolServer } from "./tool-server.ts";

const { [DOOR_ENV.socket]: socket, [DOOR_ENV.token]: token, [DOOR_ENV.tools]: tools } = process.env;

if (!socket || !token || !tools) {
  process.stderr.write("This is started by an agent, for the tools of a relay's session.\n");
  process.exitCode = 1;
} else {
  const over = new AbortController();
  process.stdin.once("end", () => over.abort());
  process.stdin.once("close", () => over.abort());
  // The process that made the session has its conversation while it lives; then the newest one takes over.
  const sockets = [socket, join(dirname(socket), CURRENT_SOCKET)];
  const server = createToolServer({ sockets, token }, tools.split(","), { signal: over.signal });
  await server.connect(new StdioServerTransport());
}
