/**
 * Loaded before the relay, and so before each process that it forks: at its end, a file `JSON_PARSE_LOGS/PID` has every
 * JSON-RPC message that the process has parsed, in order.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";

const parse = JSON.parse;
const parsed: string[] = [];

JSON.parse = (text, reviver) => {
  if (String(text).includes('"jsonrpc"')) parsed.push(String(text));
  return parse(text, reviver);
};

process.on("exit", () => {
  const file = path.join(process.env["JSON_PARSE_LOGS"] ?? "", String(process.pid));
  writeFileSync(file, JSON.stringify(parsed));
});
