import type { Inbound } from "@acp-kit/relay";
import type { GatedPrompt } from "@acp-kit/testkit";
import type { SurfaceRig } from "../surface-rig.ts";

const OPTIONS = [
  { optionId: "once", name: "yes", kind: "allow_once" },
  { optionId: "always", name: "always", kind: "allow_always" },
  { optionId: "no", name: "no", kind: "reject_once" },
];

/** Takes down what becomes of each thing that somebody does in one channel, and what reaches the agent. */
export class Minutes {
  readonly #rig: SurfaceRig;
  readonly #channel: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #lines: string[] = [];
  #step = 0;
  #heard = 0;
  #prompts = 0;
  readonly #told = new Set<string>();
  /** What the agent is answered, as it comes. */
  readonly #replies: string[] = [];

  /** @param names - By the ids of people. */
  constructor(rig: SurfaceRig, channel: string, names: Readonly<Record<string, string>>) {
    this.#rig = rig;
    this.#channel = channel;
    this.#names = new Map(Object.entries(names));
  }

  heading(text: string): void {
    this.#lines.push(`# ${text}`, "");
  }

  /** @param until - Besides that everything was acknowledged. */
  async step(what: string, act: () => unknown, until: () => boolean = () => true): Promise<void> {
    this.#step += 1;
    this.#lines.push(`## ${this.#step}. ${what}`);
    const acting = Promise.resolve(act());
    await this.#rig.during(acting);
    await this.#rig.during(this.#rig.slack.settled());
    await this.#rig.until(until);
    // For what nobody waits for.
    await this.#rig.move(3_000);
    this.#takeDecisions();
    this.#takeAnswers();
    this.#lines.push(...this.#replies.splice(0).map((line) => `- ${line}`));
    this.#takePrompts();
    this.#lines.push("");
  }

  /** From now on what comes back to the agent is taken down as well. */
  follow(prompt: GatedPrompt): void {
    void prompt.result.then(({ stopReason }) => {
      if (stopReason === "cancelled") this.#replies.push("the agent is told to stop");
    });
  }

  ask(prompt: GatedPrompt, command: string): void {
    void prompt.ask(command, OPTIONS).then((outcome) => {
      this.#replies.push(`the agent may or may not \`${command}\`: ${JSON.stringify(outcome)}`);
    });
  }

  /** What everybody sees by now. */
  transcript(): void {
    const [somebody = ""] = this.#names.keys();
    const all = this.#rig.slack.person(somebody).see(this.#channel).split("\n");
    const shared = all.filter((line) => !line.includes("(only you)"));
    this.#lines.push("## What all of them see", ...shared.map((line) => `    ${line}`), "");
  }

  get text(): string {
    return `${this.#lines.join("\n").trimEnd()}\n`;
  }

  #takeDecisions(): void {
    const { inbound } = this.#rig;
    const lines = inbound.slice(this.#heard).map((one) => this.#describe(one));
    this.#heard = inbound.length;
    // The second event of a message, and what it is refused again.
    const once = lines.filter(
      (line, at) => !line.endsWith("attach told-again") && lines[at - 1] !== line,
    );
    this.#lines.push(...once.map((line) => `- ${line}`));
  }

  #describe({ what, decision, reason, user = "" }: Inbound): string {
    return `${this.#names.get(user) ?? "somebody"}'s ${what}: ${decision} ${reason}`;
  }

  #takeAnswers(): void {
    for (const { ts, onlyFor, blocks, text } of this.#rig.slack.messages(this.#channel)) {
      if (onlyFor === undefined || this.#told.has(ts)) continue;
      this.#told.add(ts);
      const markdown = blocks.find(({ type }) => type === "markdown")?.["text"] ?? text;
      this.#lines.push(`- only ${this.#names.get(onlyFor)} is told: ${markdown}`);
    }
  }

  #takePrompts(): void {
    const { prompts } = this.#rig.agent;
    for (const { blocks } of prompts.slice(this.#prompts)) {
      this.#lines.push("- the agent is asked:");
      for (const block of blocks) {
        const text = block.type === "text" ? String(block.text) : `[${block.type}]`;
        this.#lines.push(
          ...hideRandom(text)
            .split("\n")
            .map((line) => `    | ${line}`.trimEnd()),
        );
      }
    }
    this.#prompts = prompts.length;
  }
}

/** Marks around what others said are different each time. */
function hideRandom(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{8,}\b/g, "MARK");
}
