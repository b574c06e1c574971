import { Daemon, serveDcode } from "@acp-kit/dcode-agent";

/** What `dcode-acp` does, for a program of your own: an ACP agent on stdin and stdout. */
const [socketPath = "", directory = ""] = process.argv.slice(2);
await serveDcode({
  daemon: new Daemon([{ socketPath }]),
  directory,
  version: "1.0.0",
  onError: (error, what) => console.error(what, error),
});
