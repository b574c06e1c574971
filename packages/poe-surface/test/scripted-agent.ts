import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));

/** A real agent process that follows a script; it is started again when it dies. */
export class ScriptedAgent extends AgentSupervisor {
  readonly #directory: string;

  constructor(script: object) {
    const directory = mkdtempSync(path.join(tmpdir(), "poe-surface-agent-"));
    const file = path.join(directory, "script.json");
    writeFileSync(file, JSON.stringify(script));
    super({
      command: [
        ...[process.execPath, "--conditions=@acp-kit/source", demoAgent],
        ...["--script", file, "--record", path.join(directory, "record")],
      ],
      hostEnv: process.env,
      clientInfo: { name: "poe-surface-test", version: "0" },
      stopTimings: { eofMs: 500, termMs: 500 },
    });
    this.#directory = directory;
  }

  /** When this method reached a process of the agent, in milliseconds since the epoch, oldest first. */
  received(method: string): readonly number[] {
    const lines = readFileSync(path.join(this.#directory, "record"), "utf8").trim().split("\n");
    return lines
      .map((line) => JSON.parse(line) as { at: number; kind: string; method?: string })
      .filter((entry) => entry.kind === "received" && entry.method === method)
      .map(({ at }) => at);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
