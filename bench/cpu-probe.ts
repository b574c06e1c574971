/** Loaded before a program that is measured: answers each message of its parent with the CPU time it has used, in µs. */
import process from "node:process";

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
// The program alone decides how long it lives.
process.channel?.unref();
