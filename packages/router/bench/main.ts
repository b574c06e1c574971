import { benchAppend } from "./append.ts";
import { benchFollowers } from "./followers.ts";
import { benchIsolation } from "./isolation.ts";
import { benchOpen } from "./open.ts";
import { benchRetention } from "./retention.ts";
import { benchTwoProcesses } from "./two-processes.ts";
import { benchView } from "./view.ts";

/** Names of what is to be measured; all of it without one. Prints JSON. */
const benches = {
  append: benchAppend,
  open: benchOpen,
  followers: benchFollowers,
  retention: benchRetention,
  twoProcesses: benchTwoProcesses,
  isolation: benchIsolation,
  view: benchView,
};
const wanted = process.argv.slice(2);
const results: Record<string, unknown> = {};
for (const [name, run] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) results[name] = await run();
}
console.log(JSON.stringify(results, undefined, 2));
