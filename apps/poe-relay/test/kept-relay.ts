import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import { AppProcess, createPoeDriver, findFreePort, type PoeDriver } from "@acp-kit/testkit";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Its access key, unless its configuration has other bots. */
export const KEY = "0123456789abcdefghijklmnopqrstuv";

/** For what takes a moment, on a machine that has other things to do. */
export const SOON_MS = 60_000;

/** A poe-relay that can be started again, at the same port. It admits everybody. */
export class KeptRelay extends AppProcess {
  readonly poe: PoeDriver;
  readonly #port: number;

  /** Resolves once it serves. @param env - What its processes get beside what all do. */
  static async start(
    agent: Script,
    config: object = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<KeptRelay> {
    const relay = new KeptRelay(await findFreePort());
    Object.assign(relay.env, env);
    relay.configure({
      bots: { poe: { surface: "poe", accessKeys: [KEY] } },
      agents: { scripted: { command: relay.agentCommand(agent) } },
      access: [{ users: ["*"], role: "user" }],
      stateDir: relay.stateDir,
      ...config,
    });
    return await relay.startOrDispose();
  }

  private constructor(port: number) {
    super({
      program: [process.execPath, "--conditions=@acp-kit/source", main],
      hostEnv: process.env,
      serves: (stdout) => stdout.includes(`:${port}/poe`),
      withinMs: SOON_MS,
    });
    this.flags.push("--port", String(port));
    this.#port = port;
    this.poe = this.driver("/poe", KEY);
  }

  /** Poe at another path, or with another key. */
  driver(at: string, key: string): PoeDriver {
    return createPoeDriver({ url: `http://127.0.0.1:${this.#port}${at}`, key });
  }
}
