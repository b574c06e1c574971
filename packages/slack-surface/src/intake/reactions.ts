import { conversationAt, type SlackWorkspace } from "../workspace.ts";
import type { Decisions } from "./decisions.ts";
import type { Heard } from "./heard.ts";
import { judgeSomebody } from "./judge-person.ts";
import { readMessage } from "./read-message.ts";
import type { Verdict } from "./verdict.ts";

type Reaction = Extract<Heard, { kind: "reaction" }>;

/** Reactions that end a turn. */
const STOPPING: ReadonlySet<string> = new Set(["x", "octagonal_sign"]);

/** What people say to a message by a sign. */
export class Reactions {
  readonly #workspace: SlackWorkspace;
  readonly #decisions: Decisions;

  constructor(workspace: SlackWorkspace, decisions: Decisions) {
    this.#workspace = workspace;
    this.#decisions = decisions;
  }

  /** Ends a turn, where it says that; any other goes to the agent, whose message it is. */
  async take(reaction: Reaction): Promise<Verdict> {
    const { heard, context, identity } = this.#workspace;
    const { key, user, author, channel, action } = reaction;
    const known = heard.message(key);
    const about = { message: key, user };
    const isStop = action === "added" && STOPPING.has(reaction.reaction);
    if (author !== identity.botUser && !(isStop && known?.turn !== undefined)) {
      return { ...about, decision: "drop", reason: "not-about-bot", isFrequent: true };
    }
    const judged = await judgeSomebody(this.#workspace, { user }, channel);
    if (judged.kind === "unknown") {
      return { ...about, decision: "drop", reason: "unknown-person", comesAgain: true };
    }
    if (judged.kind === "refused") return { ...about, decision: "drop", reason: "not-allowed" };
    const conversation = known?.conversation ?? (await this.#conversationOf(reaction));
    if (conversation === undefined) return { ...about, decision: "drop", reason: "not-found" };
    const there = { ...about, conversation };
    if (!isStop) {
      const { router } = context;
      await router.reportReaction(conversation, user, key, reaction.reaction, action);
      return { ...there, decision: "run", reason: "reaction" };
    }
    const { role } = judged;
    const stopped = await this.#decisions.stop(conversation, { user, role }, known?.turn);
    if (stopped.kind === "stopped") {
      return { ...there, decision: "stop", reason: "reaction", turn: stopped.turn };
    }
    const reason = stopped.kind === "none" ? "nothing-runs" : "not-yours";
    return { ...there, decision: "drop", reason };
  }

  /** The conversation of one of the bot's own messages, if people talk with it there. */
  async #conversationOf({ channel, ts }: Reaction): Promise<string | undefined> {
    const { hasAgentView, heard } = this.#workspace;
    const isWhole = channel.startsWith("D") && !hasAgentView;
    const message = isWhole ? { ts } : await readMessage(this.#workspace, channel, ts);
    if (!message) return undefined;
    const thread = "thread_ts" in message ? (message.thread_ts ?? ts) : ts;
    const conversation = conversationAt(this.#workspace, channel, thread);
    return heard.followed(conversation) && conversation;
  }
}
