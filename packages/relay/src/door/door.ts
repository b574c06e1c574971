import { mkdir, readdir, readlink, rename, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { agentOfSession, type SessionServers } from "@acp-kit/router";
import { isListening } from "../is-listening.ts";
import { type Listener, listen } from "../listener.ts";
import type { Log } from "../log.ts";
import type { RelayDb } from "../relay-db.ts";
import { createDoorApp, type DoorActions } from "./door-app.ts";
import { doorCommand } from "./door-command.ts";
import { CURRENT_SOCKET, DOOR_ENV, type DoorTool } from "./door-contract.ts";
import { type DoorSession, DoorTokens } from "./door-tokens.ts";

export type DoorOptions = {
  readonly stateDir: string;
  readonly db: RelayDb;
  /** Those that sessions are offered. */
  readonly tools: readonly DoorTool[];
  /** Whether an agent can reach the relay's socket: one of another identity or behind a wrapper cannot. */
  readonly reaches: (agent: string) => boolean;
  readonly now: () => number;
  readonly log: Log;
};

/** Longest time that calls may go on when the door closes, in milliseconds. */
const CLOSE_MS = 5_000;

/** Longest path of a Unix socket, in bytes; macOS has the shortest. */
const MAX_SOCKET_PATH = 103;

/**
 * The relay's door for its agents: a socket of this process, with mode 0600 in `<state>/door`, and a token for each
 * session. The name `current` there leads to the newest process.
 */
export class Door implements AsyncDisposable {
  readonly #options: DoorOptions;
  readonly #tokens: DoorTokens;
  readonly #directory: string;
  readonly #path: string;
  #listener: Listener | undefined;

  constructor(options: DoorOptions) {
    const { db, now, stateDir } = options;
    this.#options = options;
    this.#tokens = new DoorTokens(db, now);
    this.#directory = join(stateDir, "door");
    this.#path = join(this.#directory, `${process.pid}.sock`);
  }

  /** What the router gives each session. Nothing while the door is not open. */
  readonly servers: SessionServers = {
    open: (conversation, agent, isNew) => {
      if (!this.#listener || !this.#options.reaches(agentOfSession(agent))) return [];
      const token = this.#tokens.create({ conversation, agent }, isNew);
      const env = {
        [DOOR_ENV.socket]: this.#path,
        [DOOR_ENV.token]: token,
        [DOOR_ENV.tools]: this.#options.tools.join(","),
      };
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
      return [{ name: "acp-kit", ...doorCommand(), env: variables }];
    },
    close: (conversation, agent) => this.#end({ conversation, agent }),
  };

  /** Starts to listen. A door that cannot be opened is no reason not to serve: then agents have no tools. */
  async open(actions: DoorActions): Promise<void> {
    const { log, tools } = this.#options;
    const offered = tools.map((tool) => [tool, actions[tool]] as const);
    try {
      if (Buffer.byteLength(this.#path) > MAX_SOCKET_PATH) {
        throw new Error(`the path of its socket is longer than ${MAX_SOCKET_PATH} bytes`);
      }
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await removeStale(this.#directory);
      this.#listener = await listen({
        address: { kind: "socket", path: this.#path, shared: false },
        fetch: createDoorApp({
          find: (token) => {
            const session = this.#tokens.find(token);
            return session && { ...session, agent: agentOfSession(session.agent) };
          },
          actions: Object.fromEntries(offered),
          log,
        }),
        setting: "stateDir",
        log,
      });
      await this.#becomeCurrent();
    } catch (err) {
      log.warn({ err }, "agents have no tools of the relay: its door could not be opened");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.close(CLOSE_MS);
    const current = join(this.#directory, CURRENT_SOCKET);
    const target = await readlink(current).catch(() => undefined);
    if (listener && target === `${process.pid}.sock`) await unlink(current).catch(() => undefined);
  }

  #end(session: DoorSession): void {
    try {
      this.#tokens.end(session);
    } catch (err) {
      this.#options.log.error({ err }, "the token of a session could not be ended");
    }
  }

  async #becomeCurrent(): Promise<void> {
    const current = join(this.#directory, CURRENT_SOCKET);
    const next = `${current}.${process.pid}`;
    await unlink(next).catch(() => undefined);
    await symlink(`${process.pid}.sock`, next);
    await rename(next, current);
  }
}

/** Sockets of processes that have died without closing them. */
async function removeStale(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.endsWith(".sock") && !(await isListening(path))) await unlink(path);
  }
}
