import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryStore, type Turn } from "../src/index.ts";
import { PlainAgent, PlainRig } from "./plain-agent.ts";

/** Every run of the suite tries the same conversations; a soak tries new ones. */
const runs =
  process.env["ACP_KIT_SOAK"] === "1" ? { numRuns: 4_000 } : { numRuns: 60, seed: 20_261_201 };

type Step =
  | { readonly kind: "prompt" | "command" | "others" | "restart" | "lose" | "reset" }
  | { readonly kind: "agent"; readonly name: "first" | "second" };

/** Agents that take turns more than once, and commands, with which an agent hears nothing else. */
const back: Step[][] = [
  ["prompt", "second", "prompt", "first", "prompt", "second", "prompt"],
  ["prompt", "lose", "prompt", "second", "prompt", "first", "prompt"],
  ["prompt", "second", "prompt", "first", "command", "prompt"],
  ["prompt", "second", "command", "prompt", "first", "command", "prompt", "second", "prompt"],
].map((names) => names.map(stepOf));

function stepOf(name: string): Step {
  if (name === "first" || name === "second") return { kind: "agent", name };
  return { kind: name } as Step;
}

/** Something that was said: by whom, and a word that stands nowhere else. */
type Word = { readonly word: string; readonly by: string };

const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>({ kind: "prompt" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: "others" }) },
  fc.constantFrom<Step>(
    { kind: "command" },
    { kind: "restart" },
    { kind: "lose" },
    { kind: "reset" },
    { kind: "agent", name: "first" },
    { kind: "agent", name: "second" },
  ),
);

/** A conversation, what was said in it since its newest reset, and what each session should have heard by now. */
class Conversation {
  readonly #agents = {
    first: new PlainAgent(undefined, "a"),
    second: new PlainAgent(undefined, "b"),
  };
  readonly #store = new MemoryStore();
  readonly #hasTranscript: boolean;
  readonly #query: Turn[] = [];
  readonly due = new Map<string, readonly Word[]>();
  #said: Word[] = [];
  /** Set by a reset: the next message begins the conversation, whatever stands before it. */
  #isFresh = false;
  #count = 0;
  #rig: PlainRig;

  constructor(hasTranscript: boolean) {
    this.#hasTranscript = hasTranscript;
    this.#rig = this.#open();
    for (const agent of Object.values(this.#agents)) {
      agent.commands = ["compact"];
      agent.reply = (_, session) => {
        const word = this.#word();
        this.#said.push({ word, by: session });
        return word;
      };
    }
  }

  get heard(): ReadonlyMap<string, readonly string[]> {
    const { first, second } = this.#agents;
    return new Map([...first.heard, ...second.heard]);
  }

  async take(step: Step): Promise<void> {
    const item = { key: `${step.kind}${this.#count}`, user: "ana", at: 1 };
    switch (step.kind) {
      case "prompt":
        return this.#prompt(`please ${this.#word()}`);
      case "command":
        return this.#prompt(`/compact ${this.#word()}`);
      case "others":
        if (!this.#hasTranscript) return;
        for (const role of ["user", "bot"]) {
          const word = this.#word();
          this.#said.push({ word, by: "others" });
          this.#add(role, word, `x${this.#count}`);
        }
        return;
      case "restart":
        await this.close();
        this.#rig = this.#open();
        return;
      case "lose":
        for (const agent of Object.values(this.#agents)) {
          agent.stored.clear();
          agent.open.clear();
        }
        return;
      case "reset":
        await this.#rig.router.submit("c", { kind: "reset", ...item });
        this.#isFresh = true;
        return;
      case "agent":
        await this.#rig.router.submit("c", { kind: "choose", ...item, agent: step.name });
        return;
    }
  }

  close(): Promise<void> {
    return this.#rig[Symbol.asyncDispose]();
  }

  #open(): PlainRig {
    const { first, second } = this.#agents;
    const agents = new Map([
      ["first", first],
      ["second", second],
    ]);
    const allowedCommands = () => ["compact"];
    return new PlainRig({ agent: first, agents, store: this.#store, allowedCommands });
  }

  async #prompt(content: string): Promise<void> {
    const key = `u${this.#count}`;
    const [word = ""] = /\[\d+\]/.exec(content) ?? [];
    if (this.#isFresh) this.#said = [];
    this.#isFresh = false;
    const before = this.#said.length;
    this.#add("user", content, key);
    const query = this.#hasTranscript ? [...this.#query] : this.#query.slice(-1);
    await this.#rig.run("", { key, query });
    const answer = this.#said.at(-1);
    if (!answer || this.#said.length === before) throw new Error("there was an answer");
    const asked = { word, by: "ana" };
    this.#said.splice(before, 0, asked);
    const known = this.due.get(answer.by) ?? [];
    // What a command leaves untold is told with the next message that is none.
    const told = content.startsWith("/") ? [...known, asked] : this.#said.slice(0, before + 1);
    this.due.set(answer.by, told);
    this.#add("bot", answer.word, `b${this.#count}`);
  }

  #add(role: string, content: string, messageId: string): void {
    this.#query.push({ role, content, messageId, attachments: [] });
  }

  #word(): string {
    this.#count += 1;
    return `[${this.#count}]`;
  }
}

test.each([
  ["its platform repeats", true],
  ["only our log holds", false],
])(
  "of a conversation that %s, each session hears everything once, and nothing that it said itself",
  async (_, hasTranscript) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), async (steps) => {
        const conversation = new Conversation(hasTranscript);
        try {
          for (const one of steps) await conversation.take(one);
          for (const [session, words] of conversation.due) {
            const heard =
              (conversation.heard.get(session) ?? []).join("\n").match(/\[\d+\]/g) ?? [];
            const due = words.filter(({ by }) => by !== session).map(({ word }) => word);
            expect([...heard].sort(), session).toEqual([...due].sort());
          }
        } finally {
          await conversation.close();
        }
      }),
      { ...runs, examples: back.map((steps) => [steps]) },
    );
  },
  60_000,
);
