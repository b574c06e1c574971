import { Daemon, serveDcode } from "../src/index.ts";

/** `dcode-acp` as it is, but for how long it waits for a daemon: 0.4 s. */
const [socketPath = "", directory = ""] = process.argv.slice(2);
const daemon = new Daemon([{ socketPath }]);
await serveDcode({ daemon, directory, version: "0.0.0", awayMs: 400 });
