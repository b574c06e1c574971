import type { Status } from "@acp-kit/statusline";

/** Why a turn was cancelled. Cancellation is a cause in data, never recognised from text. */
export type CancelCause =
  | "user"
  | "superseded"
  | "edited"
  | "deleted"
  | "stalled"
  | "limit"
  | "shutdown";

/** What a turn is waiting for before the agent's first word. */
export type TurnPhase =
  | "fetching-files"
  | "preparing-workspace"
  | "waiting-workspace"
  | "starting-agent"
  | "opening-session"
  | "waiting";

/** A workspace in which somebody else's turn runs. */
export type BusyWorkspace = {
  /** What people call it. */
  readonly name?: string;
  /** The person whose turn runs there, and since when, in milliseconds since the epoch, as far as that is known. */
  readonly who?: string;
  readonly since?: number;
};

/** Where an agent was when it died; the words for chat are the renderer's. */
export type FailurePhase = "start" | "session" | "prompt";

/**
 * How a turn ended. `stopReason` is the agent's own word, unknown ones included. `ref` finds what is not for chat in the
 * operator's log; events from before there were references have none.
 */
export type TurnOutcome =
  | { readonly kind: "completed"; readonly stopReason: string }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** Never prompted: the agent took the message in the turn that ran, or what it changes had been answered already. */
  | { readonly kind: "skipped"; readonly reason: "steered" | "answered" }
  | { readonly kind: "interrupted"; readonly ref?: string }
  | {
      readonly kind: "agent-exited";
      readonly phase: FailurePhase;
      readonly code: number | null;
      readonly signal: string | null;
      readonly ref?: string;
    }
  | {
      readonly kind: "failed";
      readonly phase: FailurePhase;
      /** Our own code of the failure: a {@link import("./errors.ts").RouterErrorCode}, `auth-required`, `agent-error` or `not-admitted`. */
      readonly code: string;
      /** One sentence that is fit for chat: no path, no stack, no output of the agent's process. */
      readonly message: string;
      readonly ref?: string;
    };

/** One step of the agent's plan; `status` and `priority` are its own words. */
export type PlanEntry = {
  readonly content: string;
  readonly status: string;
  readonly priority?: string;
};

/** One item of a tool call's content; other kinds than these are left out. */
export type ToolContent =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "diff";
      readonly path: string;
      readonly oldText: string | null;
      readonly newText: string;
    }
  | { readonly kind: "terminal"; readonly terminal: string };

/** What an agent sent beside text; the bytes of it are not kept here. */
export type AgentContent = {
  /** `image`, `audio`, `resource`, `resource_link`, or a word that we do not know. */
  readonly type: string;
  readonly name?: string;
  readonly uri?: string;
  readonly contentType?: string;
};

/** A file that the agent sent. A copy of it is kept until its time is over; see `Router.openFile`. */
export type SentFile = {
  /** Of the copy: `directory/name`, below the conversation's directory of files. */
  readonly path: string;
  /** What it is called in the chat. */
  readonly name: string;
  /** By its bytes. */
  readonly contentType: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
};

/** One way to answer a question, as the agent sent it. */
export type PermissionOption = {
  readonly id: string;
  readonly name: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`, or a word that we do not know. */
  readonly kind: string;
};

/** A question of the agent that a person answers by choosing one of its options. */
export type PermissionAsk = {
  /** Asked again under the id of a question that is open, it is that question; after its end, a new one. */
  readonly id: string;
  /** The person whose turn asks. */
  readonly requester: string;
  readonly title: string;
  readonly toolKind: string;
  /** What is really run, from the tool's raw input: a command, a path, or the input as JSON. */
  readonly subject: string;
  /** `title`: the agent sent no input, the subject is only its own description. */
  readonly subjectFrom: "input" | "title";
  /** True when the subject is cut: what is really run is more than what is shown. */
  readonly subjectCut: boolean;
  readonly options: readonly PermissionOption[];
  /** Names exactly what is run, for an answer that is to hold again; absent where none can. */
  readonly rule?: string;
  /** Milliseconds since the epoch; the question lapses then. */
  readonly expiresAt: number;
};

/** How a question ended. Only `selected` names an option that the agent sent. */
export type PermissionEnd = "selected" | "cancelled" | "expired";

/** How full the context of the agent's session is, and what the session has cost so far. */
export type Usage = {
  /** Tokens in the context window, and its size. */
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
};

/** A command of the agent's own, its name without the slash. */
export type AgentCommand = { readonly name: string; readonly description: string };

/** What happened, without when: see {@link LogEvent}. */
export type EventBody =
  | {
      readonly kind: "turn-queued";
      readonly who: string;
      readonly text: string;
      readonly key: string;
      /** 1 for the first time that this message was run, 2 for its first regeneration, … */
      readonly attempt: number;
      /** The turn that has to end first, when there is one. */
      readonly behind?: string;
    }
  | { readonly kind: "turn-start"; readonly who: string; readonly model?: string }
  | {
      readonly kind: "session-attached";
      readonly how: "new" | "resumed" | "loaded";
      readonly session: string;
      /** True when an earlier session of this conversation could not be found again. */
      readonly lost: boolean;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string }
  | {
      readonly kind: "tool-start";
      readonly id: string;
      readonly title: string;
      readonly toolKind: string;
      readonly status: string;
      readonly content: readonly ToolContent[];
    }
  | {
      readonly kind: "tool-update";
      readonly id: string;
      readonly title?: string;
      readonly toolKind?: string;
      readonly status?: string;
      readonly content?: readonly ToolContent[];
    }
  | { readonly kind: "plan"; readonly entries: readonly PlanEntry[] }
  | {
      readonly kind: "status";
      readonly phase?: TurnPhase;
      /** What a turn in the phase `waiting-workspace` really has to wait for. */
      readonly busy?: BusyWorkspace;
      readonly mood?: string;
      readonly plan?: string;
    }
  | ({ readonly kind: "usage" } & Usage)
  | { readonly kind: "commands"; readonly commands: readonly AgentCommand[] }
  | {
      readonly kind: "config";
      /** The person who chose it; absent when the agent or the relay did. */
      readonly by?: string;
      /** Name of the agent that the conversation uses from now on. */
      readonly agent?: string;
      readonly mode?: string;
      readonly model?: string;
      /** The agent's own list, as it was sent; absent when only the mode or model changed. */
      readonly options?: readonly unknown[];
    }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "permission-ask"; readonly ask: PermissionAsk }
  | {
      readonly kind: "permission-answer";
      readonly permission: string;
      readonly end: PermissionEnd;
      /** What was chosen, whole: a reader that starts behind the question has to say what it meant. */
      readonly option?: PermissionOption;
      /** The person who chose; absent when a policy, the turn's end or the clock did. */
      readonly by?: string;
      /** `now`: the answer holds again from now on, for the requester and exactly this. `before`: one that held again. */
      readonly remembered?: "now" | "before";
    }
  | ({ readonly kind: "file" } & SentFile)
  | ({ readonly kind: "content" } & AgentContent)
  | { readonly kind: "notice"; readonly level: "info" | "warning"; readonly text: string }
  | { readonly kind: "stalled"; readonly silentMs: number }
  /** The agent took another message in this turn. */
  | {
      readonly kind: "steered";
      readonly who: string;
      readonly text: string;
      /** Of the message; events from before it was kept have none. */
      readonly key?: string;
    }
  /** The agent is told of it now. What it does about that is nobody's turn, and its words are not kept. */
  | {
      readonly kind: "reaction";
      readonly who: string;
      readonly message: string;
      readonly reaction: string;
      readonly action: "added" | "removed";
    }
  | { readonly kind: "unknown-update"; readonly update: unknown }
  | { readonly kind: "turn-end"; readonly outcome: TurnOutcome }
  | { readonly kind: "session-reset"; readonly who: string };

/** How a question ended, as the log has it. */
export type PermissionAnswer = Extract<EventBody, { kind: "permission-answer" }>;

/** An event before the store gave it its place. `turn` is absent for what an agent says between turns. */
export type NewEvent = EventBody & {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly turn?: string;
};

/** An event of a conversation's log. `seq` starts at 1, never skips and is never reused. */
export type LogEvent = NewEvent & { readonly seq: number };

export type { Status };
