import type {
  ApprovalDecision,
  Completion,
  EventPayload,
  OpenString,
  PlanItem,
  StopReason,
  ToolCompleted,
  Usage,
} from "@acp-kit/dcode-protocol";

/** What asks before a call runs. */
export type DcodeAsk = {
  /** `network`, `filesystem_write`, `rule:command`, … */
  readonly boundary: string;
  readonly command?: string;
  readonly reason?: string;
  /** The rule that asks; what `allow_session` is then remembered by, instead of the command. */
  readonly rule?: string;
};

export type DcodeCall = {
  /** Default `call_<index in its batch>`, which comes again in the next batch, as providers' ids do. */
  readonly id?: string;
  readonly name: string;
  readonly input?: unknown;
  /** Announces the call by `progress` of its arguments, one each 512 bytes up to this size, before it is requested. */
  readonly argumentBytes?: number;
  readonly ask?: DcodeAsk;
  /** A scan: `progress` of its files, one each 25; `total` when the tool knew it before. */
  readonly files?: { readonly seen: number; readonly total?: number };
  /** What `tool.completed` says; "none" for a call that never completes. */
  readonly result?: Partial<ToolCompleted> | "none";
};

/** What a turn does, one after another. */
export type DcodeStep =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "think"; readonly text: string }
  /** One answer of the model with these calls. They complete in order, or in `finish` order of their indexes. */
  | {
      readonly kind: "tools";
      readonly calls: readonly DcodeCall[];
      readonly finish?: readonly number[];
    }
  | { readonly kind: "plan"; readonly items: readonly PlanItem[] }
  | { readonly kind: "rounds"; readonly done: number; readonly total?: number }
  /** Any event at all, known or not. */
  | { readonly kind: "emit"; readonly type: string; readonly payload: unknown }
  /** Waits until the test opens the gate of that name, or the turn is interrupted. */
  | { readonly kind: "wait"; readonly gate: string }
  | { readonly kind: "pause"; readonly ms: number }
  /** Ends the turn. With `error`, `session.error` comes first and the default reason is `error`. */
  | {
      readonly kind: "end";
      readonly reason?: OpenString<StopReason>;
      readonly usage?: Usage;
      readonly completion?: Completion;
      readonly error?: EventPayload<"session.error">;
    };

/** What a script knows of its turn. */
export type DcodeTurn = {
  readonly session: string;
  readonly id: string;
  readonly text: string;
  /** Media types of its pictures. */
  readonly images: readonly string[];
  /** 1 for the session's first turn. */
  readonly number: number;
  /** Answers to its approvals so far, in order. */
  readonly decisions: readonly OpenString<ApprovalDecision>[];
  /** What was steered so far. */
  readonly steers: readonly string[];
};

/** The model: steps for every turn, or what makes them. Ends by itself with `done`. */
export type DcodeScript =
  | readonly DcodeStep[]
  | ((turn: DcodeTurn) => Iterable<DcodeStep> | AsyncIterable<DcodeStep>);

/** The model that a daemon has without a script: it thinks, plans, reads a file, asks when the text says `ask`, and answers. */
export function* demoDcodeScript(turn: DcodeTurn): Generator<DcodeStep, void> {
  const plan = (...states: ("pending" | "active" | "done")[]): DcodeStep => ({
    kind: "plan",
    items: ["Read", "Change", "Answer"].map((text, index) => ({
      id: index + 1,
      text,
      status: states[index] ?? "pending",
    })),
  });
  yield { kind: "think", text: "Let me look at the file first." };
  yield plan("active");
  yield {
    kind: "tools",
    calls: [
      {
        name: "read",
        input: { path: "README.md" },
        result: { output: "# Readme\n", lines: 1 },
      },
      {
        name: "grep",
        input: { pattern: "TODO" },
        files: { seen: 50, total: 184 },
        result: { output: "", files: 184 },
      },
    ],
    finish: [1, 0],
  };
  yield plan("done", "active");
  yield { kind: "rounds", done: 1, total: 50 };
  if (/\bask\b/.test(turn.text)) {
    yield {
      kind: "tools",
      calls: [
        {
          name: "bash",
          input: { command: "npm install" },
          argumentBytes: 512,
          ask: { boundary: "network", command: "npm install", reason: "installs packages" },
          result: { output: "added 1 package\n", has_exit: true, duration_ms: 800 },
        },
      ],
    };
    yield { kind: "rounds", done: 2, total: 50 };
  }
  yield plan("done", "done", "active");
  for (const text of ["You said: ", turn.text, ". Done."]) yield { kind: "say", text };
  yield plan("done", "done", "done");
  const usage = { input_tokens: 12_400, output_tokens: 310, context_tokens: 6_200 };
  yield { kind: "end", reason: "done", usage };
}
