import { type ConnIo, type Factory, serveAgent } from "@acp-kit/acp-wire";
import { advertise } from "@acp-kit/statusline";
import { type Attached, attachNew } from "./attach.ts";
import type { Daemon } from "./daemon.ts";
import { DcodeSession } from "./dcode-session.ts";
import { rpcError } from "./mapping/errors.ts";
import { createDcodeStore } from "./session-store.ts";

export type ServeDcodeOptions = {
  readonly daemon: Daemon;
  /** Keeps which session of the daemon is which of the client's (0700). Made if need be. */
  readonly directory: string;
  readonly version: string;
  /** Default: stdin and stdout. */
  readonly io?: ConnIo;
  readonly signal?: AbortSignal;
  /** How long a daemon that does not answer is waited for, in milliseconds. Default 60,000: the time of a restart. */
  readonly awayMs?: number;
  /** What failed and is no answer to anything. For a log. */
  readonly onError?: (error: unknown, what: string) => void;
};

const AWAY_MS = 60_000;

/** Serves the sessions of a dcode daemon to one ACP client, until the client is gone. */
export async function serveDcode(options: ServeDcodeOptions): Promise<void> {
  const { daemon, directory, version, io, signal, awayMs = AWAY_MS, onError = () => {} } = options;
  const store = createDcodeStore(directory, daemon);

  const factory: Factory = {
    async newSession({ sessionId, cwd, additionalDirectories, mcpServers, sink, opened, state }) {
      try {
        const attached =
          opened === "new" ? await attachNew(await daemon.connect(), cwd) : (state as Attached);
        const remember = (session: string) => store.remember({ sessionId, cwd }, session);
        if (opened === "new") await remember(attached.state.id);
        // A relay's own tools are an offer: what they do can be asked for in other ways too.
        const wanted = mcpServers.filter(({ name }) => name !== "acp-kit");
        if (wanted.length + additionalDirectories.length > 0) {
          void sink.notice("info", "dcode takes no MCP servers and no further directories.");
        }
        return new DcodeSession({ attached, sink, awayMs, remember, onError });
      } catch (error) {
        throw rpcError(error);
      }
    },
  };

  await serveAgent({
    info: { name: "dcode-acp", title: "dcode", version },
    factory,
    store,
    capabilities: {
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      steering: true,
      _meta: advertise(),
    },
    onError,
    ...(io !== undefined && { io }),
    ...(signal !== undefined && { signal }),
  });
}
