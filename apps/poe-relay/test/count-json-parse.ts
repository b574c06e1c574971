/** Loaded before the relay: at its end, `JSON_PARSE_LOG` has every JSON-RPC message that it has parsed, in order. */
import { writeFileSync } from "node:fs";

const parse = JSON.parse;
const parsed: string[] = [];

JSON.parse = (text, reviver) => {
  if (String(text).includes('"jsonrpc"')) parsed.push(String(text));
  return parse(text, reviver);
};

process.on("exit", () => {
  // The process that only holds the sockets parses none.
  if (parsed.length === 0) return;
  writeFileSync(process.env["JSON_PARSE_LOG"] ?? "", JSON.stringify(parsed));
});
