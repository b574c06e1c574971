import type { McpServer } from "@acp-kit/acp-wire";
import type { Agent } from "./agent.ts";
import type { Downloads } from "./attachments/downloads.ts";
import type { OpenedFile } from "./attachments/kept-file.ts";
import type { SendRefusal } from "./attachments/refusal-words.ts";
import type { ConversationState } from "./describe-conversation.ts";
import type { CancelCause, PermissionAnswer, PermissionAsk, SentFile } from "./events.ts";
import type { Grant } from "./grants.ts";
import type { ConversationLog } from "./log.ts";
import type { RouterMetric } from "./metrics.ts";
import type { Options } from "./options.ts";
import type { FileToSend, SendResult } from "./outgoing-files.ts";
import type { Display, MarkupRenderer } from "./renderer.ts";
import type { Role } from "./role.ts";
import type { ChunkSink } from "./sink.ts";
import type { InboxItem, OpenTurn, Posted, Store } from "./store.ts";
import type { Turn } from "./transcript.ts";
import type { BusyPolicy } from "./turn-queue.ts";
import type { TurnLimits } from "./turn-state.ts";
import type { Workspace, WorkspaceHolder, WorkspaceTurn } from "./workspace.ts";

/**
 * What happens to a tool call that asks. `ask`: a person decides. `allow`, `deny`: all are. `read-only`: what reads,
 * searches or thinks is allowed, and everything else is not. None chooses more than an `allow_once` or a `reject_once`.
 */
export type PermissionPolicy = "ask" | "allow" | "deny" | "read-only";

/**
 * What an agent may send from a conversation: files of its workspace and of what people sent, as far as their names and
 * beginnings are not those of secrets.
 */
export type SendPolicy = {
  /** The word behind `<!--` by which a line of the agent's text sends a file. Default: there is none. */
  readonly directive?: string;
  /** Names that are refused too: a name or several with `/`, at any depth; `*` stands for anything within a name. */
  readonly deny?: readonly string[];
  /** Files of one turn. Default 20. */
  readonly maxFiles?: number;
  /** Largest file, in bytes. Default 100 MiB; all of a turn together have twice that. */
  readonly maxFileBytes?: number;
};

/**
 * What the router does that an operator may want to know; holds no text of people, and of agents only their questions and
 * names of files.
 */
export type RouterReport =
  | {
      readonly kind: "turn-ended";
      readonly conversation: string;
      readonly turn: string;
      readonly outcome: string;
      readonly durationMs: number;
      readonly detail?: string;
    }
  /** A question of the agent has ended, or a policy or a remembered answer has answered it without anybody being asked. */
  | {
      readonly kind: "question-ended";
      readonly conversation: string;
      readonly turn: string;
      /** Name of the agent; empty for one without. */
      readonly agent: string;
      /** Both as the log has them: with the agent's own words. */
      readonly ask: PermissionAsk;
      readonly answer: PermissionAnswer;
    }
  /** The process that ran the turn has died in the middle of it. */
  | {
      readonly kind: "turn-interrupted";
      readonly conversation: string;
      readonly turn: string;
      readonly ref: string;
    }
  | {
      readonly kind: "agent-exited";
      readonly code: number | null;
      readonly signal: string | null;
      readonly stderrTail: string;
    }
  /** A file of the agent's has left. `file` is its real path, or says that the agent sent bytes. */
  | {
      readonly kind: "file-sent";
      readonly conversation: string;
      readonly turn?: string;
      readonly file: string;
      readonly bytes: number;
      readonly sha256: string;
    }
  /** `file` is what the agent called it. */
  | {
      readonly kind: "file-refused";
      readonly conversation: string;
      readonly turn?: string;
      readonly file: string;
      readonly reason: SendRefusal;
    }
  /** A value of the config cannot be kept; another one is used. */
  | { readonly kind: "clamped"; readonly text: string }
  /** Somebody has chosen what is not open to them, or the agent has; it does not run with that. */
  | {
      readonly kind: "choice-refused";
      readonly conversation: string;
      /** The person whose turn it is, or who chose. */
      readonly user: string;
      /** As in {@link Choice}; or `command`, for one of the agent's own that somebody has called. */
      readonly setting: string;
      readonly value: string | boolean;
    }
  | {
      readonly kind: "failure";
      /** Empty for what concerns none. */
      readonly conversation: string;
      readonly what: string;
      readonly error: unknown;
      /** What people are shown of it, if they are shown anything. */
      readonly ref: string;
    };

/** MCP servers that agents use in one session only; see {@link RouterConfig.sessionServers}. */
export type SessionServers = {
  /**
   * Asked whenever a session is made (`isNew`: no earlier one is opened again) or opened again.
   *
   * @param session - Names it in its conversation; see {@link import("./agent-directory.ts").agentOfSession}.
   */
  open(conversation: string, session: string, isNew: boolean): readonly McpServer[];
  /** The session was closed or given up. Its next opening asks anew. Must not throw. */
  close(conversation: string, session: string): void;
};

/** Something that a person would have the agent run with. */
export type Choice = {
  readonly conversation: string;
  readonly user: string;
  /** Name of the agent. */
  readonly agent: string;
  /** `agent`, `model`, `mode`, `thinking`, or the id of a config option. */
  readonly setting: string;
  readonly value: string | boolean;
  /** What a session of the agent has of the setting before anything is chosen, as far as it is known. */
  readonly initial?: string | boolean | undefined;
};

/** A turn of which nothing has reached the agent yet. */
export type TurnStart = {
  readonly conversation: string;
  readonly turn: string;
  readonly user: string;
  /**
   * The running turn, and whose it is, in whose middle the agent is to be given the message. Where that is refused the
   * message waits for a turn of its own, and is asked about again then.
   */
  readonly into?: { readonly turn: string; readonly user: string };
};

/** Whether a turn may start. What is said is fit for chat. */
export type TurnAdmission =
  | { readonly kind: "admitted"; readonly notice?: string }
  | { readonly kind: "refused"; readonly text: string };

/** What a router is made of, and what its operator decides; see {@link createRouter}. */
export type RouterConfig = {
  /** Drives the sessions of every conversation that `agentFor` gives no other. */
  readonly agent: Agent;
  /** The agent of a conversation in which none is chosen. Default: `agent`. */
  readonly agentFor?: (conversation: string) => Agent;
  /** Agents that a person can choose for a conversation, by name; see {@link ChooseItem}. Each keeps a session of its own there. */
  readonly agents?: ReadonlyMap<string, Agent>;
  /** Keeps logs, inboxes and records; the router does not dispose of it. */
  readonly store: Store;
  /** Root of the default workspaces: `<stateDir>/convs/<safe id>`. */
  readonly stateDir: string;
  /**
   * Where a conversation works; asked at the start of each turn. Default: a directory of its own below `stateDir`.
   *
   * @param turn - Absent: a file comes or goes, and only its place is asked for; nothing need be made ready.
   */
  readonly workspaceFor?: (
    conversation: string,
    turn?: WorkspaceTurn,
  ) => Workspace | Promise<Workspace>;
  /**
   * Waits until no other process works in a workspace with this `exclusive` value, and keeps them out until the function
   * that it gives is called. Asked by one turn of this process at a time. Default: there are no other processes.
   *
   * @param holder - Who is to work there.
   * @param onBusy - To be called when it has to wait, with what is known of who works there.
   */
  readonly lockWorkspace?: (
    exclusive: string,
    signal: AbortSignal,
    holder: WorkspaceHolder,
    onBusy: (holder: WorkspaceHolder | undefined) => void,
  ) => Promise<() => void>;
  /** What people see as chosen before they have touched anything. Default: {@link DEFAULT_OPTIONS}. */
  readonly defaults?: Options;
  /** What a person may decide in a conversation; absent for one who may decide about their own turns only. */
  readonly roleOf?: (user: string, conversation: string) => Role | undefined;
  /** What happens to a tool call that asks. Default: `ask`. @param toolKind - As the agent calls it; `other` when it does not say. */
  readonly permissionPolicy?: (conversation: string, toolKind: string) => PermissionPolicy;
  /**
   * Whether a turn that carries words of others than its requester asks before it runs, fetches or deletes something, or
   * does something of an unknown kind, although a policy or a remembered answer allows it. Default: true.
   */
  readonly askWhenTainted?: boolean;
  /** Sessions idle for longer are let go by `runGc`. Default 2 h. */
  readonly sessionTtlMs?: number;
  /** The clocks of turns. Default: {@link DEFAULT_TURN_LIMITS}. */
  readonly turnLimits?: Partial<TurnLimits>;
  /** What becomes of a message that comes while a turn runs, unless the message itself says so. Default `queue`. */
  readonly busyPolicy?: (conversation: string) => BusyPolicy;
  /**
   * Standing instructions for the agent; empty for none. Asked once for each session that is made or opened again, never
   * per turn. An agent that advertises `session.systemPrompt` gets them with `session/new` and is trusted to keep them;
   * any other gets them in front of the next message that is no command.
   */
  readonly systemPromptProvider?: (conversation: string) => string;
  /** MCP servers for each session alone, and when they are void. Default: none. */
  readonly sessionServers?: SessionServers;
  /**
   * What to say when the agent wants somebody to log in first (code -32000), as its answer and instead of the error.
   * Asked at each such failure; empty for the error itself.
   */
  readonly authErrorHint?: (conversation: string) => string;
  /**
   * Names of agent commands that a person may call with a leading slash, without the slash; they are passed on if the
   * agent advertises them too. Any other leading slash reaches the agent behind a space. Default: none.
   */
  readonly allowedCommands?: (conversation: string, user: string) => readonly string[];
  /**
   * Asked once before each turn of a message, when nothing stands in its way any more; a refused one ends as failed with
   * the code `not-admitted`, and one of which this throws does not start either. Default: every turn starts.
   */
  readonly admitTurn?: (start: TurnStart) => TurnAdmission;
  /** Whether a value is open to a person. One that is not is never selected, whoever chose it. Default: every one is. */
  readonly mayChoose?: (choice: Choice) => boolean;
  /** How long a session may take to open, the start of the agent included, in milliseconds. Default 5 min. */
  readonly sessionTimeoutMs?: number;
  /** Largest picture or sound that the model itself is shown, in bytes. Default 3 MiB; at most 20 MiB. */
  readonly maxInlineImageBytes?: number;
  /** Largest file that is fetched, in bytes. Default 100 MiB; at most 1 GiB. */
  readonly maxAttachmentBytes?: number;
  /** All kept files of a conversation together, in bytes. Default 1 GiB; at least one file of the largest size. */
  readonly attachmentQuotaBytes?: number;
  /** How long a file is kept, in milliseconds; `runGc` removes it then. Default 30 days; at least as long as a session. */
  readonly attachmentTtlMs?: number;
  /**
   * Fetches the files that come with a conversation's messages; the router does not dispose of it. Default: over HTTPS,
   * from every public host. What it throws with a code of `AttachmentError` is told in that code's words.
   */
  readonly downloads?: (conversation: string) => Pick<Downloads, "fetch">;
  /**
   * What may leave of an agent's files; nothing where it gives nothing. Default: what {@link SendPolicy} says by itself,
   * and no line of text sends a file.
   */
  readonly sending?: (conversation: string) => SendPolicy | undefined;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Told what an operator may want to know; must not throw. */
  readonly onReport?: (report: RouterReport) => void;
  /** Told in the course of turns: to be quick about it. */
  readonly onMetric?: (metric: RouterMetric) => void;
};

/** A message for {@link Router.prompt}, with how its answer is to be shown. */
export type PromptRequest = {
  readonly conversation: string;
  readonly user: string;
  readonly query: readonly Turn[];
  readonly options: Options;
  readonly renderer: MarkupRenderer<string>;
  /** Default: from `options`. */
  readonly show?: Display;
};

/** What the log tells of a turn. */
export type LastTurn = {
  readonly turn: string;
  readonly who: string;
  readonly key: string;
  /** The message, cut to 40,000 characters. */
  readonly text: string;
  /** The turn's events lie behind this seq. */
  readonly after: number;
};

/** A conversation with an attached session, under the keys in which it is served as JSON. */
export type DebugInfo = {
  readonly conv_id: string;
  /** The person who spoke last. */
  readonly user_id: string;
  /** The agent's id of the session. */
  readonly session_id: string;
  readonly cwd: string;
  /** When a turn last began or ended; RFC 3339. */
  readonly last_used: string;
};

/** The engine: takes what people want of conversations, drives their agents, and keeps a log of what happens. */
export interface Router extends AsyncDisposable {
  /** Posts what somebody wants. Resolves once it is committed. @throws `queue-full`, `empty-prompt`, `closed`. */
  submit(conversation: string, item: InboxItem): Promise<Posted>;
  /** The log of a conversation, whichever process owns it. */
  log(conversation: string): ConversationLog;
  /** The turn that runs now, when this process runs one, and its open questions, oldest first. */
  running(
    conversation: string,
  ): { turn: string; who: string; key: string; asks: readonly PermissionAsk[] } | undefined;
  /** The turns of a conversation that have not ended, the running one first, whichever process owns it. */
  openTurns(conversation: string): Promise<readonly OpenTurn[]>;
  /**
   * Cancels a turn, and resolves once its `turn-end` is committed (bounded: a deaf agent's session is given up). No-op
   * for a turn that has ended, or of which this person may not decide.
   *
   * @param how - `implied`: nobody has asked for it, somebody's client is gone. That ends the turn of that person, and
   *   no other one's, whatever else they may decide.
   */
  cancelTurn(
    conversation: string,
    turn: string,
    cause: CancelCause,
    user?: string,
    how?: "asked" | "implied",
  ): Promise<void>;
  /**
   * The newest turn that was posted with a message, running or not: what a person means who wants to see it again, or
   * to have it run again. `undefined` when none is left in the log.
   */
  lastTurn(conversation: string): Promise<LastTurn | undefined>;
  /**
   * Tells the agent that a person reacted to one of its messages, out of band: in no turn, after what waits already, and
   * only while its session is attached. Resolves once the reaction is in `<stateDir>/reactions.jsonl` and the inbox;
   * what cannot be kept there is reported, not thrown.
   */
  reportReaction(
    conversation: string,
    user: string,
    message: string,
    reaction: string,
    action: "added" | "removed",
  ): Promise<void>;
  /**
   * Posts a message and shows its turn on a sink, up to its end or to a question, which ends the sink's part. Resolves
   * after the sink's `done`; a sink that throws rejects it and leaves the turn running.
   *
   * @param signal - Aborted: the turn is cancelled as its requester's wish.
   */
  prompt(request: PromptRequest, sink: ChunkSink, signal?: AbortSignal): Promise<void>;
  /**
   * What is known of a conversation without asking its agent: nothing is opened, started or written for it.
   *
   * @param user - Whose session is meant, where each person has one. Default: the one that was prompted last.
   */
  describe(conversation: string, user?: string): Promise<ConversationState>;
  /** What is remembered as allowed for a person, oldest first; a {@link RevokeItem} ends it. */
  grants(user: string): Promise<readonly Grant[]>;
  /**
   * Sends a file of the agent's to the chat, in the turn that the agent answers: the one way in which a file leaves,
   * whoever asks on the agent's behalf. Where the file may leave a copy is kept, and a `file` event of the log names it.
   * Never rejects: a refusal has a sentence for the agent.
   */
  sendFile(conversation: string, file: FileToSend): Promise<SendResult>;
  /** Opens what a `file` event names; nothing when its time is over. To be disposed. */
  openFile(conversation: string, file: SentFile): Promise<OpenedFile | undefined>;
  /** Cancels whatever runs in the conversation. */
  cancel(conversation: string): Promise<void>;
  /** The attached sessions of this process, sorted by conversation. */
  debug(): Promise<readonly DebugInfo[]>;
  /** The config's defaults: what `parseOptions` overlays. */
  readonly defaults: Options;
  /**
   * To be called once surfaces listen: takes every conversation whose owner has died, and no other, ends visibly what
   * was running there, and runs what waits. Owners that die later are taken over by themselves.
   */
  recover(): Promise<void>;
  /**
   * Before this process ends: takes no conversation and starts no turn any more, and lets each conversation go once its
   * running turn has ended. What waits there is left for another process. Resolves when none is left.
   */
  retire(): Promise<void>;
  /**
   * The same, without patience: what runs here ends now, as cancelled by `shutdown`. For surfaces that have to show how it
   * ended before this process does. Resolves when that is in the log; an agent that does not answer takes some seconds.
   */
  endTurns(): Promise<void>;
  /** Conversations with an attached session. */
  readonly size: number;
  /** Lets idle sessions go, every `everyMs` milliseconds, until disposed. */
  runGc(everyMs: number): Disposable;
}
