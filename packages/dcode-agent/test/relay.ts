import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createPoeDriver, type PoeDriver, waitFor } from "@acp-kit/testkit";
import { SOON_MS } from "./rig.ts";

const poeRelay = fileURLToPath(new URL("../../../apps/poe-relay/src/main.ts", import.meta.url));
const KEY = "0123456789abcdefghijklmnopqrstuv";

/** poe-relay from its sources, with an agent; its state outlives it. */
export class Relay implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #poe: PoeDriver | undefined;
  #stdout = "";
  #stderr = "";

  static async start(root: string, agent: readonly string[]): Promise<Relay> {
    const relay = new Relay(root, agent);
    try {
      await relay.#serves();
      return relay;
    } catch (error) {
      relay.#child.kill("SIGKILL");
      throw error;
    }
  }

  private constructor(root: string, agent: readonly string[]) {
    const home = path.join(root, "home");
    mkdirSync(home, { recursive: true });
    const config = path.join(root, "relay.jsonc");
    writeFileSync(config, JSON.stringify({ access: [{ users: ["*"], role: "operator" }] }), {
      mode: 0o600,
    });
    const words = agent.map((word) => `'${word}'`).join(" ");
    const args = ["start", "--port", "0", "--config", config, "--agent", words];
    const state = path.join(root, "relay");
    this.#child = spawn(
      process.execPath,
      ["--conditions=@acp-kit/source", poeRelay, ...args, "--state-dir", state],
      {
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          POE_ACCESS_KEY: KEY,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#ended = once(this.#child, "close");
    this.#child.stdout?.on("data", (text) => {
      this.#stdout += String(text);
    });
    this.#child.stderr?.on("data", (text) => {
      this.#stderr += String(text);
    });
  }

  async #serves(): Promise<void> {
    const [, url = ""] = await waitFor(
      "the relay to serve",
      () => {
        if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.#stderr}`);
        return /^(?:Address +| +)(http:\S+)/m.exec(this.#stdout) ?? undefined;
      },
      SOON_MS,
    );
    this.#poe = createPoeDriver({ url, key: KEY });
  }

  get poe(): PoeDriver {
    if (!this.#poe) throw new Error("it does not serve");
    return this.#poe;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await waitFor("the relay to end", this.#ended, SOON_MS).finally(() =>
      this.#child.kill("SIGKILL"),
    );
  }
}
