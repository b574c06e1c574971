import type { PermissionOption, SessionUpdate } from "@acp-kit/acp-wire";
import type { Script, Step } from "@acp-kit/demo-agent";

const say = (text: string): Step => ({ kind: "text", text });
const send = (update: SessionUpdate): Step => ({ kind: "update", update });

/** The text of the n-th of {@link chunks}, from 1: its number, padded with dots to `size` letters. */
function chunkText(nth: number, size: number): string {
  return String(nth).slice(-size).padEnd(size, ".");
}

function chunkTexts(count: number, size: number): string {
  return Array.from({ length: count }, (_, index) => chunkText(index + 1, size)).join("");
}

const yesOrNo: readonly PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** Asks, then says `ID: OPTION`, or `ID: cancelled`. */
function ask(id: string, options: readonly PermissionOption[]): Step {
  const outcomes = [...options.map(({ optionId }) => optionId), "cancelled", "withdrawn"];
  return {
    kind: "ask",
    toolCall: { toolCallId: id, title: `Run ${id}`, kind: "execute", rawInput: { command: id } },
    options,
    on: Object.fromEntries(outcomes.map((outcome) => [outcome, [say(`${id}: ${outcome}\n`)]])),
  };
}

function toolCall(id: string, ms: number): Step[] {
  const diff = { type: "diff", path: `/${id}.ts`, oldText: "a\n", newText: "b\n" } as const;
  return [
    send({
      sessionUpdate: "tool_call",
      toolCallId: id,
      title: `Edit ${id}.ts`,
      kind: "edit",
      status: "pending",
      rawInput: { path: `/${id}.ts` },
    }),
    send({ sessionUpdate: "tool_call_update", toolCallId: id, status: "in_progress" }),
    { kind: "wait", ms },
    send({
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: "completed",
      content: [diff],
    }),
  ];
}

/**
 * Scripts by name, for the agent that {@link agentCommand} starts. Times are in milliseconds. Where
 * nothing else is said, the agent is well-behaved: it stops on a cancel, and answers `end_turn`.
 */
export const scripts = {
  /** Says what it was told. */
  echo: (): Script => ({ prompt: [say("{{prompt}}")] }),

  /** `count` chunks of `size` letters, one every `everyMs`; 0: all in one tick. */
  chunks: (count: number, size: number, everyMs: number): Script => ({
    prompt: [{ kind: "text", text: chunkTexts(count, size), pace: { size, everyMs } }],
  }),

  chunkText,

  /** Thinks in `count` chunks, then says `done`. */
  thoughts: (count: number, size: number, everyMs: number): Script => ({
    prompt: [
      { kind: "thought", text: chunkTexts(count, size), pace: { size, everyMs } },
      say("done"),
    ],
  }),

  /** One tool call with a diff that takes `ms`, then `done`. */
  tool: (ms = 0): Script => ({ prompt: [...toolCall("tool", ms), say("done")] }),

  /** A plan whose entries are done one after the other, one every `everyMs`, with the status line. */
  plan: (entries: readonly string[], everyMs = 0): Script => ({
    prompt: Array.from({ length: entries.length + 1 }, (_, done): Step[] => [
      send({
        sessionUpdate: "plan",
        entries: entries.map((content, index) => ({
          content,
          priority: "medium",
          status: index < done ? "completed" : index === done ? "in_progress" : "pending",
        })),
      }),
      { kind: "status", mood: "busy", plan: `${done}/${entries.length}` },
      { kind: "wait", ms: everyMs },
    ]).flat(),
  }),

  /** Sends every stable kind of update once. */
  everyUpdate: (): Script => ({
    prompt: [
      { kind: "thought", text: "thinking" },
      say("text"),
      ...toolCall("tool", 0),
      send({
        sessionUpdate: "plan",
        entries: [{ content: "one", priority: "high", status: "pending" }],
      }),
      { kind: "status", mood: "calm", plan: "0/1" },
      send({ sessionUpdate: "usage_update", used: 10, size: 100 }),
      send({
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "go", description: "Goes" }],
      }),
      send({ sessionUpdate: "current_mode_update", currentModeId: "fast" }),
      send({ sessionUpdate: "config_option_update", configOptions: [] }),
      send({ sessionUpdate: "session_info_update", title: "A title" }),
    ],
  }),

  /** Asks and says what was answered: `ask-1: yes`. Then the steps behind. */
  question: (
    options: readonly PermissionOption[] = yesOrNo,
    behind: readonly Step[] = [],
  ): Script => ({
    prompt: [ask("ask-1", options), ...behind],
  }),

  /** Asks `count` questions, the next one when the one before is answered. */
  questions: (count: number): Script => ({
    prompt: Array.from({ length: count }, (_, index) => ask(`ask-${index + 1}`, yesOrNo)),
  }),

  /** Asks `count` questions at once. */
  questionsAtOnce: (count: number): Script => ({
    prompt: [
      {
        kind: "together",
        branches: Array.from({ length: count }, (_, index) => [ask(`ask-${index + 1}`, yesOrNo)]),
      },
    ],
  }),

  /** Asks, and takes the question back after `ms`. */
  questionWithdrawn: (ms: number): Script => ({
    prompt: [{ ...ask("ask-1", yesOrNo), withdrawAfterMs: ms } as Step],
  }),

  /** Answers the prompt with this stop reason, which may be one that ACP does not have. */
  stops: (stopReason: string): Script => ({
    prompt: [say("said"), { kind: "answer", stopReason }],
  }),

  /** Answers the prompt with a JSON-RPC error, behind a text. */
  fails: (code: number, message: string): Script => ({
    prompt: [say("said"), { kind: "fail", code, message }],
  }),

  /** The n-th prompt of a session runs the n-th script; the last one stays. */
  turns: (first: Script, ...others: readonly Script[]): Script => ({
    ...first,
    prompt: [first, ...others].reduceRight<readonly Step[]>((otherwise, { prompt }, index) => {
      const last = index === others.length;
      return last ? prompt : [{ kind: "when", turn: index + 1, steps: prompt, otherwise }];
    }, []),
  }),

  /**
   * The first process that writes a record runs `first`, later ones `second`, whose traits both have.
   * Needs `record`.
   */
  firstProcess: (first: Script, second: Script): Script => {
    const choose = (name: "initialize" | "session" | "prompt" | "cancel"): readonly Step[] => [
      { kind: "when", start: 1, steps: first[name] ?? [], otherwise: second[name] ?? [] },
    ];
    return {
      ...second,
      initialize: choose("initialize"),
      session: choose("session"),
      prompt: choose("prompt"),
      cancel: choose("cancel"),
    };
  },

  /** Prints lines that are no messages to stdout: a banner, a log line, JSON of other shapes. */
  noise: (): Script => ({
    initialize: [{ kind: "print", text: "Welcome to the agent!" }],
    session: [{ kind: "print", text: "[debug] {session: new}" }],
    prompt: [
      { kind: "print", text: '{"level":"info","text":"prompt"}' },
      say("a"),
      { kind: "print", text: "[1,2]" },
      { kind: "print", text: "" },
      { kind: "print", text: "42" },
      say("b"),
    ],
  }),

  /** `lines` chunks as fast as the pipe takes them, then `done`. */
  flood: (lines: number, options: { bytes?: number; perWrite?: number } = {}): Script => ({
    prompt: [{ kind: "flood", lines, ...options }, say("done")],
  }),

  /** One line of so many bytes between two texts. Above 32 MiB clients skip it. */
  hugeLine: (bytes: number): Script => ({
    prompt: [say("before"), { kind: "flood", lines: 1, bytes }, say("behind")],
  }),

  /** Kinds of update, content and option that nobody has defined. */
  unknownUpdates: (): Script => ({
    prompt: [
      send({ sessionUpdate: "weather", rain: { mm: [1, 2] } }),
      send({ sessionUpdate: "agent_message_chunk", content: { type: "hologram", data: "x" } }),
      send({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "T",
        kind: "dream",
        status: "odd",
      }),
      say("done"),
    ],
  }),

  /** Answers `ms` after its last word. */
  lateReply: (ms: number): Script => ({ prompt: [say("said"), { kind: "wait", ms }] }),

  /** Obeys a cancel only after `ms`, and says `too late` before it does. */
  lateCancel: (ms: number): Script => ({
    prompt: [say("said"), { kind: "wait" }],
    cancel: [{ kind: "wait", ms }, say("too late")],
  }),

  /** Sends `text` right behind its response. */
  updateAfterResponse: (text = "late"): Script => ({
    prompt: [say("said"), { kind: "answer" }, say(text)],
  }),

  /** Sends `text` when the turn is over by `ms`. */
  updateBetweenTurns: (ms: number, text = "between"): Script => ({
    prompt: [say("said"), { kind: "answer" }, { kind: "wait", ms }, say(text)],
  }),

  /** Says `n` numbered chunks of two letters, then its process ends. Default: exit code 1. */
  dieAfter: (n: number, how: { code?: number; signal?: NodeJS.Signals } = {}): Script => ({
    prompt: [
      { kind: "text", text: chunkTexts(n, 2), pace: { size: 2, everyMs: 0 } },
      { kind: "print", to: "stderr", text: "fatal: told to die" },
      { kind: "exit", ...how },
    ],
  }),

  /** Its process ends before it has answered `initialize`. */
  dieAtStart: (code = 1): Script => ({ initialize: [{ kind: "exit", code }], prompt: [] }),

  /** Never answers one thing; everything else it does. `cancel`: nor the prompt that is cancelled. */
  neverAnswers: (what: "initialize" | "session" | "prompt" | "cancel"): Script => {
    const never: readonly Step[] = [{ kind: "wait" }];
    const prompt: readonly Step[] = [say("said"), ...never];
    switch (what) {
      case "initialize":
        return { initialize: never, prompt: [] };
      case "session":
        return { session: never, prompt: [] };
      case "prompt":
        return { prompt };
      case "cancel":
        return { prompt, cancel: never };
    }
  },

  /** Takes its time to answer `initialize`, or to open a session. */
  slow: (what: "initialize" | "session", ms: number): Script => ({
    [what]: [{ kind: "wait", ms }],
    prompt: [say("{{prompt}}")],
  }),

  /** Outlives the end of its input and SIGTERM, for at most a minute. */
  stubborn: (): Script => ({ prompt: [say("{{prompt}}")], ignore: ["eof", "sigterm"] }),

  /** Closes stdout in the middle of a turn and lives on. */
  closesStdout: (): Script => ({
    prompt: [say("said"), { kind: "close-stdout" }, { kind: "wait" }],
    cancel: [{ kind: "wait" }],
  }),

  /** Reads no more from the middle of a turn on, and lives on. */
  stopsReading: (): Script => ({
    prompt: [say("said"), { kind: "stop-reading" }, { kind: "wait" }],
  }),

  /** Starts a child in each turn that ignores SIGTERM and lives for `ms`. */
  leavesChild: (ms: number): Script => ({ prompt: [{ kind: "child", ms }, say("started")] }),
};

/** A prompt that brings its own script, for an agent that was started with `allowInline`. */
export function inlineScript(script: Pick<Script, "prompt" | "cancel">): string {
  return `script:${JSON.stringify(script)}`;
}
