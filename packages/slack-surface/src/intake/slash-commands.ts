import { type CommandOutcome, parseCommand } from "@acp-kit/relay";
import { MARKDOWN_FORM } from "../publish/publication.ts";
import { renderPart } from "../publish/render-part.ts";
import { within } from "../within.ts";
import { conversationAt, conversationKeyOf, type SlackWorkspace } from "../workspace.ts";
import { decodeSlackText } from "./decode-text.ts";
import { judgeSomebody } from "./judge-person.ts";
import { renderLoginButton } from "./login-form.ts";
import type { MessagesParts } from "./messages.ts";
import type { SlackInteraction } from "./parse-interaction.ts";
import type { Verdict } from "./verdict.ts";
import { words } from "./words.ts";

type Command = Extract<SlackInteraction, { kind: "command" }>;
type Answer = Readonly<Record<string, unknown>>;

/** How long the answer may take, in milliseconds: after 3 s the platform takes none with the acknowledgement. */
const ANSWER_WAIT_MS = 2_000;

/** In the place of a thread: a slash command is given in none. */
const NO_THREAD = "-";

/** Conversations of a channel that are looked through for what somebody has running. */
const MAX_SEARCHED = 50;

/**
 * The relay's commands behind the app's slash command, as in `/agent status`. The answer comes with the acknowledgement,
 * which reaches also who is where the bot is not.
 */
export class SlashCommands {
  readonly #workspace: SlackWorkspace;
  readonly #parts: MessagesParts;

  constructor(parts: MessagesParts) {
    this.#workspace = parts.workspace;
    this.#parts = parts;
  }

  async take(
    { user, userTeam, channel, text }: Command,
    ack: (answer?: Answer) => void,
  ): Promise<Verdict> {
    const { context, bot, clock } = this.#workspace;
    const { people, commands } = context;
    const conversation = this.#conversationIn(channel);
    const about = { conversation, user };
    const say = (kind: "command" | "error", markdown: string) => ack(this.#answer(kind, markdown));
    const judged = await judgeSomebody(this.#workspace, { user, team: userTeam }, channel);
    if (judged.kind !== "admitted") {
      const admission = people.admit(judged.person);
      say("error", admission.kind === "refused" ? admission.text : words.notAllowed);
      return { ...about, decision: "refuse", reason: "not-allowed" };
    }
    const { role } = judged;
    const written = asCommand(decodeSlackText(text, this.#workspace.directory.names));
    const parsed = parseCommand(written);
    if (parsed?.kind === "command" && parsed.name === "stop") {
      const turn = await this.#stopIn(channel, user);
      if (turn === undefined) say("command", words.nothingRuns);
      else ack();
      return turn === undefined
        ? { ...about, decision: "refuse", reason: "nothing-runs" }
        : { ...about, decision: "stop", reason: "asked", turn };
    }
    const command = commands.recognise({
      ...{ conversation, bot: bot.name, user, role, key: "", text: written, query: [] },
      at: context.now(),
    });
    if (!command) {
      say("command", words.onlyCommands);
      return { ...about, decision: "refuse", reason: "only-commands" };
    }
    const running = command.run();
    const outcome = await within(clock, ANSWER_WAIT_MS, running);
    if (outcome) ack(this.#render(conversation, outcome));
    else {
      ack();
      this.#parts.background.add(command.name, this.#tellLate(user, channel, running));
    }
    return { ...about, decision: "command", reason: command.name };
  }

  #conversationIn(channel: string): string {
    return conversationAt(this.#workspace, channel, NO_THREAD);
  }

  async #tellLate(user: string, channel: string, running: Promise<CommandOutcome>): Promise<void> {
    const outcome = await running;
    const text = outcome.kind === "reply" ? outcome.text : words.onlyCommands;
    await this.#parts.teller.privately(user, { channel }, "command", text);
  }

  #render(conversation: string, outcome: CommandOutcome): Answer {
    if (outcome.kind !== "reply") return this.#answer("command", words.onlyCommands);
    const blocks = outcome.asksFor === "login" ? [renderLoginButton(conversation)] : [];
    return this.#answer("command", outcome.text, blocks);
  }

  #answer(kind: "command" | "error", markdown: string, below: readonly object[] = []): Answer {
    const part = this.#workspace.renderer.say(kind, markdown);
    const body = part.kind === "text" ? part.markdown : "";
    const points = [...body].slice(0, MARKDOWN_FORM.maxCodePoints).join("");
    const { text, blocks } = renderPart(points, "", MARKDOWN_FORM);
    return { response_type: "ephemeral", text, blocks: [...blocks, ...below] };
  }

  /** Ends what somebody has running or waiting in a channel, the latest conversation first. */
  async #stopIn(channel: string, user: string): Promise<string | undefined> {
    const { heard, identity } = this.#workspace;
    const { decisions } = this.#parts;
    const here = conversationKeyOf(this.#workspace, `${identity.team}/${channel}`);
    const isHere = (one: string) => one === here || one.startsWith(`${here}/`);
    for (const conversation of heard.activeSince(0, MAX_SEARCHED).filter(isHere)) {
      const turns = await decisions.openTurns(conversation);
      const own = turns.find(({ who }) => who === user);
      if (!own) continue;
      await decisions.cancel(conversation, own.turn, "user", user);
      return own.turn;
    }
    return undefined;
  }
}

/** What stands behind a slash command is a command without its mark. */
function asCommand(text: string): string {
  const plain = text.trim();
  if (plain === "") return "!help";
  return /^[!/.]/.test(plain) ? plain : `!${plain}`;
}
