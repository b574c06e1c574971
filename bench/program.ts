import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export type RelayOptions = { readonly nodeFlags?: readonly string[]; readonly program?: string };

/** A program between an agent and a client, whose CPU time is measured: that of all its processes but the agent's. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #probes = mkdtempSync(path.join(tmpdir(), "cpu-"));
  #url = "";
  #headers: Record<string, string> = {};
  #messages = 0;

  /** Starts poe-relay over this agent, or another program like it. */
  static relay(
    agent: readonly string[],
    { nodeFlags = [], program = "../apps/poe-relay/src/main.ts" }: RelayOptions = {},
  ): Promise<Program> {
    const argv = agent.map((word) => `'${word}'`).join(" ");
    const args = [file(program), "start", "--port", "0", "--agent", argv];
    return Program.#start([...nodeFlags, ...args]);
  }

  /** Starts the least that could be done instead. */
  static floor(agent: readonly string[]): Promise<Program> {
    return Program.#start([file("floor.ts"), ...agent]);
  }

  static async #start(args: readonly string[]): Promise<Program> {
    const program = new Program(args);
    await program.#serves();
    return program;
  }

  private constructor(args: readonly string[]) {
    const flags = ["--conditions=@acp-kit/source", "--import", file("cpu-probe.ts")];
    this.#child = spawn(process.execPath, [...flags, ...args], {
      env: { ...process.env, CPU_PROBES: this.#probes },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  async #serves(): Promise<void> {
    let printed = "";
    for await (const text of this.#child.stdout ?? []) {
      printed += String(text);
      this.#url = /http:\S+\n/.exec(printed)?.[0].trim() ?? "";
      const isRelay = printed.includes("poe-relay");
      const authorization = /Bearer \w{32}/.exec(printed)?.[0];
      if (authorization) this.#headers = { authorization };
      if (this.#url !== "" && (!isRelay || authorization)) return;
    }
    throw new Error(`it does not serve: ${printed}`);
  }

  /** CPU time that one message and its whole answer take, in µs. */
  async measure(): Promise<{ microseconds: number; events: number }> {
    const before = await this.used();
    const events = await this.ask("c");
    return { microseconds: (await this.used()).microseconds - before.microseconds, events };
  }

  /** CPU time so far, and the most memory that each of its processes has had, in sum. */
  async used(): Promise<{ microseconds: number; kibibytes: number }> {
    const used = { microseconds: 0, kibibytes: 0 };
    for (const pid of readdirSync(this.#probes)) {
      let text = "";
      for await (const part of connect(path.join(this.#probes, pid))) text += String(part);
      const [microseconds = 0, kibibytes = 0] = JSON.parse(text) as number[];
      used.microseconds += microseconds;
      used.kibibytes += kibibytes;
    }
    return used;
  }

  /**
   * Sends a message of a conversation, and resolves with the number of events of the answer.
   *
   * @param onText - Called with each piece of the answer as it comes.
   */
  async ask(conversation: string, onText: (text: string) => void = () => {}): Promise<number> {
    this.#messages += 1;
    const id = `m-${this.#messages}`;
    const body = JSON.stringify({
      version: "1.1",
      type: "query",
      query: [{ role: "user", content: "go", message_id: id }],
      user_id: "u",
      conversation_id: conversation,
      message_id: `r-${id}`,
    });
    const asked = request(this.#url, { method: "POST", headers: this.#headers, agent: false });
    asked.end(body);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    let text = "";
    for await (const part of answer.setEncoding("utf8")) {
      onText(String(part));
      text += part;
    }
    if (!text.endsWith("event: done\ndata: {}\n\n"))
      throw new Error(`no answer: ${text.slice(-500)}`);
    return text.split("\nevent: ").length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill();
    await closed;
    rmSync(this.#probes, { recursive: true, force: true });
  }
}
