import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import { AppProcess, agentCommand, createPoeDriver, type PoeDriver } from "@acp-kit/testkit";
import { KEY } from "./kept-relay.ts";

const poeRelay = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** For what takes a moment, on a machine that has other things to do. */
export const SOON_MS = 20_000;

/** Of its first bot. */
const ADDRESS = /^(?:Address +| +)(http:\S+)/m;

export type RelayProcessOptions = {
  /** File of the program. Default: poe-relay's own. */
  readonly program?: string;
  /** What the agent does. Default: the demo. */
  readonly agent?: Script;
  /** A shell command that runs in the agent's place, with the agent's own words as `"$@"`. */
  readonly around?: string;
  /** Without it the relay is the demo. */
  readonly config?: object;
  /** Flags of `start`. */
  readonly flags?: readonly string[];
  /** Flags of Node.js. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** poe-relay from its sources as somebody starts it by flags, at any port. */
export class RelayProcess extends AppProcess {
  #poe: PoeDriver | undefined;

  /** Resolves once it serves. */
  static async start(options: RelayProcessOptions = {}): Promise<RelayProcess> {
    const { program = poeRelay, agent, around, config, flags = [], nodeFlags = [] } = options;
    const relay = new RelayProcess({
      program: [process.execPath, "--conditions=@acp-kit/source", ...nodeFlags, program],
      hostEnv: process.env,
      serves: (stdout) => ADDRESS.test(stdout),
      withinMs: SOON_MS,
    });
    relay.flags.push("--port", "0", ...flags);
    if (agent !== undefined) relay.flags.push("--agent", relay.#agentLine(agent, around));
    if (config !== undefined) {
      relay.configure(config);
      relay.env["POE_ACCESS_KEY"] = KEY;
    }
    Object.assign(relay.env, options.env);
    return await relay.startOrDispose();
  }

  /** Where its first bot listens. */
  get url(): string {
    return ADDRESS.exec(this.stdout)?.[1] ?? "";
  }

  get poe(): PoeDriver {
    const [, key = KEY] = /Bearer (\w{32})/.exec(this.stdout) ?? [];
    this.#poe ??= createPoeDriver({ url: this.url, key });
    return this.#poe;
  }

  #agentLine(script: Script, around: string | undefined): string {
    const directory = path.join(this.root, "agent");
    const command = agentCommand(script, { directory, record: this.record });
    const words = around === undefined ? command : ["/bin/sh", "-c", around, "sh", ...command];
    return words.map((word) => `'${word}'`).join(" ");
  }
}
