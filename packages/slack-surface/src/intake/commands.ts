import type { CommandOutcome, PendingCommand } from "@acp-kit/relay";
import { within } from "../within.ts";
import type { SlackWorkspace } from "../workspace.ts";
import type { Background } from "./background.ts";
import { renderLoginButton } from "./login-form.ts";
import type { Teller, TellPlace } from "./teller.ts";
import type { Verdict } from "./verdict.ts";
import { words } from "./words.ts";

/** How long an acknowledgement waits for a command, in milliseconds: one that asks an agent may take longer. */
const COMMAND_WAIT_MS = 1_500;

/** How long what a command sends is waited for, in milliseconds; it is shown with the next turn then. */
const SEND_WAIT_MS = 5_000;

/** What comes of that: the file, or why it is not sent. */
const sent: ReadonlySet<string> = new Set(["file", "notice"]);

/** Commands whose answer is nobody's but the person's, also when they change something. */
const PERSONAL: ReadonlySet<string> = new Set(["revoke", "login", "pair"]);

/** A message that is for the relay. */
export type CommandCall = {
  readonly command: PendingCommand;
  readonly conversation: string;
  readonly user: string;
  readonly key: string;
  readonly place: TellPlace;
  /** Where its author alone is told something. */
  readonly privatePlace: TellPlace;
};

type PromptOutcome = Extract<CommandOutcome, { kind: "prompt" }>;

/** The relay's own commands, and how they are answered. */
export class Commands {
  readonly #workspace: SlackWorkspace;
  readonly #teller: Teller;
  readonly #background: Background;

  constructor(workspace: SlackWorkspace, teller: Teller, background: Background) {
    this.#workspace = workspace;
    this.#teller = teller;
    this.#background = background;
  }

  /**
   * Carries a command out, once for each key. Resolves when it is done, or goes on without its acknowledgement.
   *
   * @param ask - Asks the agent what the command has made of the message.
   */
  async run(
    call: CommandCall,
    ask: (outcome: PromptOutcome) => Promise<Verdict>,
  ): Promise<Verdict> {
    const { heard, context, clock } = this.#workspace;
    const { command, conversation, user, key } = call;
    const about = { conversation, message: key, user };
    if (!heard.claim(key, { conversation, user }, context.now())) {
      return { ...about, decision: "attach", reason: "told-again" };
    }
    const after = await context.router.log(conversation).last();
    const done = command.run().then((outcome) => this.#answer(call, after, outcome, ask));
    this.#background.add(command.name, done);
    const verdict = await within(clock, COMMAND_WAIT_MS, done);
    return verdict ?? { ...about, decision: "command", reason: command.name };
  }

  async #answer(
    { command, conversation, user, key, place, privatePlace }: CommandCall,
    after: number,
    outcome: CommandOutcome,
    ask: (outcome: PromptOutcome) => Promise<Verdict>,
  ): Promise<Verdict> {
    const about = { conversation, message: key, user };
    const { name } = command;
    switch (outcome.kind) {
      case "prompt":
        return { ...(await ask(outcome)), reason: name };
      case "show-new":
        this.#background.add(name, this.#markNext(conversation, after));
        return { ...about, decision: "show", reason: "get" };
      case "show":
        this.#tell(this.#teller.privately(user, privatePlace, "command", words.allShown));
        return { ...about, decision: "show", reason: "last" };
      case "reply": {
        const text = command.isSecret ? `${outcome.text}\n\n${words.deleteYours}` : outcome.text;
        const blocks = outcome.asksFor === "login" ? [renderLoginButton(conversation)] : [];
        // A list would ring for everybody in the thread.
        const isPersonal = outcome.isRefused || !command.isChange || PERSONAL.has(name);
        this.#tell(
          isPersonal
            ? this.#teller.privately(user, privatePlace, "command", text, blocks)
            : this.#teller.openly(place, "command", text),
        );
        if (outcome.isRefused) return { ...about, decision: "refuse", reason: "command-not-open" };
        return { ...about, decision: "command", reason: name };
      }
    }
  }

  /** What a command has asked to be sent comes in a moment, when the conversation may be shown as far as it goes. */
  async #markNext(conversation: string, after: number): Promise<void> {
    const { open, context } = this.#workspace;
    open.mark(conversation);
    const late = AbortSignal.timeout(SEND_WAIT_MS);
    const cursor = context.router.log(conversation).follow({ after }, late);
    for await (const events of cursor) {
      if (!events.some(({ turn, kind }) => turn === undefined && sent.has(kind))) continue;
      open.mark(conversation);
      return;
    }
  }

  #tell(told: Promise<void>): void {
    this.#background.add("answer", told);
  }
}
