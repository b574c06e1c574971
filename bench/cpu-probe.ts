/**
 * Loaded before a program that is measured, and so before each process that the program forks: tells whoever connects
 * to `CPU_PROBES/PID` how much CPU time the process has used, in µs, and how much memory at most, in KiB.
 */
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";

const socket = path.join(process.env["CPU_PROBES"] ?? "", String(process.pid));
const server = createServer((connection) => {
  const { user, system } = process.cpuUsage();
  connection.end(JSON.stringify([user + system, process.resourceUsage().maxRSS]));
});
// The program alone decides how long it lives.
server.listen(socket).unref();
