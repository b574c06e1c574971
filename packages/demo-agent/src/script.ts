import type {
  KnownConfigOption,
  PermissionOption,
  PermissionToolCall,
  SessionMode,
  SessionUpdate,
} from "@acp-kit/acp-wire";

/**
 * What a scripted agent does. A script is plain data: it can be a JSON file, and it says everything
 * that the agent will ever do, so that a test reads from top to bottom.
 *
 * Each list of steps belongs to something that a client does. While a list runs, that request is open;
 * when the list ends, it is answered as a well-behaved agent answers it, unless an `answer` or `fail`
 * step did so earlier. Steps behind `answer` still run: that is how an agent speaks between turns.
 */
export interface Script {
  /** What the agent says about itself. */
  readonly agent?: AgentTraits;
  /** Runs before `initialize` is answered. */
  readonly initialize?: readonly Step[];
  /** Runs before `session/new`, `session/load` and `session/resume` are answered. */
  readonly session?: readonly Step[];
  /** Runs for each prompt. */
  readonly prompt: readonly Step[];
  /** Runs when a turn is cancelled, before its prompt is answered with `cancelled`. */
  readonly cancel?: readonly Step[];
  /** What the agent does not react to. Not for ever: 60 s after the end of its input it exits. */
  readonly ignore?: readonly Ignorable[];
}

export type Ignorable = "eof" | "sigterm";

export interface AgentTraits {
  /** Default `demo-agent`. */
  readonly name?: string;
  /** What `initialize` answers. Default 1. */
  readonly protocolVersion?: number;
  /** Replaces the `agentCapabilities` as a whole. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly authMethods?: readonly unknown[];
  /** The first one is current at the start. */
  readonly models?: readonly Model[];
  /** How models are offered: as a config option of category `model` (default), or the older way. */
  readonly modelsAs?: "config-option" | "set-model";
  /** The first one is current at the start. */
  readonly modes?: readonly SessionMode[];
  /** Further config options, with the values that they have at the start. */
  readonly configOptions?: readonly KnownConfigOption[];
}

export interface Model {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

export type Meta = Readonly<Record<string, unknown>>;

/** Sends `size` code points at a time, one piece every `everyMs`. The first piece does not wait. */
export interface Pace {
  readonly size: number;
  /** Milliseconds at `--speed 1`. 0 sends all pieces in one tick. */
  readonly everyMs: number;
}

/**
 * One thing that the agent does.
 *
 * In `text`, `thought`, `update` and `ask` these words are replaced: `{{prompt}}` (the last text block of
 * the prompt), `{{turn}}` (which prompt of the session, from 1), `{{model}}`, `{{mode}}` (ids),
 * `{{session}}`, `{{cwd}}`, `{{pid}}`.
 */
export type Step =
  /** Says something. Without a pace it is one chunk. */
  | { readonly kind: "text"; readonly text: string; readonly pace?: Pace }
  | { readonly kind: "thought"; readonly text: string; readonly pace?: Pace }
  /** Sends an update as it is; `meta` goes beside it, into the `_meta` of the params. */
  | { readonly kind: "update"; readonly update: SessionUpdate; readonly meta?: Meta }
  /** Sets the status line. A field left out is cleared. */
  | { readonly kind: "status"; readonly mood?: string; readonly plan?: string }
  /** Without `ms` it waits until the turn is cancelled; where there is no turn, for ever. */
  | { readonly kind: "wait"; readonly ms?: number }
  | AskStep
  | WhenStep
  | { readonly kind: "repeat"; readonly times: number; readonly steps: readonly Step[] }
  /** Runs several lists at once, and goes on when all have ended. */
  | { readonly kind: "together"; readonly branches: readonly (readonly Step[])[] }
  /** Answers the open request; `result` is added to what a well-behaved agent would answer. */
  | { readonly kind: "answer"; readonly stopReason?: string; readonly result?: Meta }
  /** Answers the open request with a JSON-RPC error. */
  | {
      readonly kind: "fail";
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    }
  | Fault;

/**
 * Asks for permission and goes on with what stands for the answer.
 * @see https://agentclientprotocol.com/protocol/tool-calls
 */
export interface AskStep {
  readonly kind: "ask";
  readonly toolCall: PermissionToolCall;
  readonly options: readonly PermissionOption[];
  /**
   * Steps by the chosen option's id, or by `cancelled`, `withdrawn` (see below) and `error` (the client
   * answered with one). An answer that is not named has no steps of its own.
   */
  readonly on?: Readonly<Record<string, readonly Step[]>>;
  /** After so many milliseconds the agent takes the question back (`$/cancel_request`). */
  readonly withdrawAfterMs?: number;
}

/** Branches. All conditions that are given must hold. */
export interface WhenStep {
  readonly kind: "when";
  /** The prompt has this word; case does not matter. */
  readonly says?: string;
  /** It is the n-th prompt of its session, from 1. */
  readonly turn?: number;
  /** It is the n-th process that writes this record (see `--record`), from 1. Without a record always 1. */
  readonly start?: number;
  readonly model?: string;
  readonly mode?: string;
  readonly steps: readonly Step[];
  readonly otherwise?: readonly Step[];
}

/** What a well-behaved agent never does. */
export type Fault =
  /** Prints a line as it is, between two messages. Default stdout, where it is noise. */
  | { readonly kind: "print"; readonly text: string; readonly to?: "stdout" | "stderr" }
  /**
   * Message chunks as fast as the pipe takes them: `lines` of at least `bytes` each (default 200), in
   * writes of `perWrite` lines (default 1). A single line of 33 MiB is above what clients accept.
   */
  | {
      readonly kind: "flood";
      readonly lines: number;
      readonly bytes?: number;
      readonly perWrite?: number;
    }
  /** The process ends at once, behind all that was sent. Default code 1. */
  | { readonly kind: "exit"; readonly code?: number; readonly signal?: string }
  /** Closes stdout and lives on. */
  | { readonly kind: "close-stdout" }
  /** Reads no more input and lives on. */
  | { readonly kind: "stop-reading" }
  /** Starts a child process that does nothing for `ms`, ignores SIGTERM and holds stderr open. */
  | { readonly kind: "child"; readonly ms: number };

export type StepKind = Step["kind"];
/** The steps of one kind. */
export type StepOf<Kind extends StepKind> = Extract<Step, { kind: Kind }>;
