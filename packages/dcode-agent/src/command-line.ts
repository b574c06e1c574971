import path from "node:path";
import { parseArgs } from "node:util";
import { type DaemonAddress, socketPaths } from "@acp-kit/dcode-client";

export type CommandLine =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | {
      readonly kind: "serve";
      readonly addresses: readonly DaemonAddress[];
      readonly directory: string;
    };

export type Surroundings = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly home: string;
  /** Reads the file of the token. */
  readonly readFile: (file: string) => string;
};

export const HELP = `Usage: dcode-acp [options]

Serves a dcode daemon as an agent of the Agent Client Protocol, over stdin and stdout.

  --socket PATH      the daemon's socket
  --url URL          a server that speaks dcode's protocol over TCP, instead of a socket
  --token-file F     file with the token for --url
  --state DIR        where ids of sessions are kept (default: ~/.local/state/dcode-acp)
  --help, --version

Without --socket and --url it looks where a daemon listens by default: at $DCODE_SOCKET, else
$XDG_RUNTIME_DIR/dcode.sock (/run/user/UID where that is not set) or /tmp/dcode-UID.sock, then
/tmp/dcode-UID/dcode.sock.
`;

/** @throws Error with a sentence for whoever typed it */
export function readCommandLine({ argv, env, uid, home, readFile }: Surroundings): CommandLine {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      socket: { type: "string" },
      url: { type: "string" },
      "token-file": { type: "string" },
      state: { type: "string" },
      help: { type: "boolean" },
      version: { type: "boolean" },
    },
  });
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const { socket, url, "token-file": tokenFile, state } = values;
  if (socket !== undefined && url !== undefined) throw new Error("--socket or --url, not both");
  if (tokenFile !== undefined && url === undefined) throw new Error("--token-file needs --url");
  const directory = path.resolve(
    state ?? path.join(env["XDG_STATE_HOME"] || path.join(home, ".local", "state"), "dcode-acp"),
  );
  return { kind: "serve", addresses: addresses(), directory };

  function addresses(): DaemonAddress[] {
    if (socket !== undefined) return [{ socketPath: path.resolve(socket) }];
    if (url === undefined) return socketPaths(env, uid).map((socketPath) => ({ socketPath }));
    if (tokenFile === undefined) return [{ url }];
    return [{ url, token: readToken(tokenFile) }];
  }

  function readToken(file: string): string {
    try {
      return readFile(file).trim();
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      throw new Error(`The file of the token, ${file}, cannot be read (${code}).`, { cause });
    }
  }
}
