import { type EventPayload, type EventType, ZERO_TIME } from "../src/index.ts";

type Entry<Type extends EventType> = {
  /** First release that sends it; empty when it is older than the declarations that say so. */
  since?: string;
  /** When it is sent and what it means, in one sentence or two. */
  when: string;
  /** What a reader cannot guess. */
  notes?: readonly string[];
  example: EventPayload<Type>;
};

/** What the schemas cannot say about each event, in the order in which they are worth reading. */
export const catalogue: { [Type in EventType]: Entry<Type> } = {
  "session.created": {
    when: "First event of every session.",
    notes: [
      "It shows the session before this event: `last_seq` is 0. The answer to the creating request may be newer.",
      "`id` is opaque; today it is 19 lower-case hex digits.",
      "An empty `mode` is an answer: the sandbox and the approval policy make no mode that has a name. `done_criteria` 0 is one too. An absent `context_window` is unknown, an absent `first_seq` means 1.",
    ],
    example: {
      id: "19ff0b19e000000abcd",
      state: "idle",
      workspace: "/srv/app",
      model: "m-1",
      sandbox_mode: "workspace-write",
      mode: "assist",
      created_at: "2026-08-11T12:00:00Z",
      last_seq: 0,
      first_seq: 1,
      context_window: 200_000,
      done_criteria: 3,
    },
  },
  "session.resumed": {
    when: "The events behind it, up to the `last_seq` of the answer that created the session, were copied from a recorded one.",
    notes: [
      "Copied events have this session's id, new seqs and the time of resuming. They are history: they set no current mode, error or approval.",
      "Turn ids start again at `t1` behind them. Copied `tool.approval_resolved` events have no request.",
      "`started_at` is the zero time in every release so far.",
    ],
    example: { source_id: "018ff0000001a2b3c4d", turns: 4, started_at: ZERO_TIME },
  },
  "session.renamed": {
    since: "0.2.0",
    when: "A person named the conversation. The empty name gives the derived title back.",
    notes: [
      "In 0.20.0 a live session that is renamed sends nothing: the name goes into the record file, under a seq that the log uses too.",
    ],
    example: { name: "Fix the parser" },
  },
  "session.mode_changed": {
    since: "0.7.0",
    when: "The session runs under another mode from its next tool call on. Setting the mode it already has sends nothing.",
    notes: ["Early daemons do not send `sandbox_mode`; it reads as the empty string."],
    example: { previous: "plan", mode: "auto", sandbox_mode: "full-access" },
  },
  "session.compacted": {
    when: "Earlier history was replaced by a summary.",
    notes: [
      "`from_seq` and `to_seq` are indexes into the model's history, not event seqs.",
      "`messages` and `kept` are absent from older daemons.",
    ],
    example: { from_seq: 3, to_seq: 41, messages: 38, kept: 6 },
  },
  "session.error": {
    when: "Something failed. A failing provider is reported so before the turn ends with `error`.",
    notes: [
      "`code` is open: beyond the codes of refused requests it may be `auth`, `quota`, `rate_limit`, `context_size`, `bad_request`, `tool_schema`, `transport`, `provider`, `canceled`, `memory_unreadable`, `prompt_rebuild_failed` or another.",
      "`no_active_turn` behind a `turn.completed` says that a steering text came too late and was dropped.",
    ],
    example: { code: "rate_limit", message: "try again in 20 s" },
  },
  "turn.started": {
    when: "A turn begins, by this client or another one. The answer to the submitting request does not name it.",
    notes: [
      "`turn_id` is not unique in a log: tell turns by the seq of this event. Typed commands count as `x<n>`.",
      "`text` is absent when the question was empty.",
    ],
    example: { turn_id: "t1", text: "Make the tests pass." },
  },
  "turn.steered": {
    when: "A person corrected the running turn.",
    example: { turn_id: "t1", text: "no, the other file" },
  },
  "turn.completed": {
    when: "The turn ended. The session becomes idle a moment later: a request at once may still be refused with `turn_already_active`.",
    notes: [
      "`unverified` and `incomplete` are results, not failures.",
      "An absent `usage` is unknown, zeros are known. `input_tokens` is a sum over the rounds; how full the context is stands in `context_tokens`.",
      "Close every open tool call here: some never get their `tool.completed`.",
    ],
    example: {
      turn_id: "t1",
      reason: "unverified",
      usage: {
        input_tokens: 480_000,
        output_tokens: 5_120,
        cache_read_tokens: 400_000,
        context_tokens: 61_000,
      },
      completion: { verification: "failed", met: ["builds"], unmet: ["tests"] },
    },
  },
  "message.delta": {
    when: "A fragment of the answer.",
    example: { turn_id: "t1", text: "The parser dropped" },
  },
  "message.reasoning": {
    when: "A fragment of the model's thinking; switched off by the daemon's configuration.",
    example: { turn_id: "t1", text: "Let me look at\nthe tests." },
  },
  "tool.requested": {
    when: "The model asks for a tool call, or a person typed a command (`typed`). All calls of one answer are announced before the first of them runs.",
    notes: [
      "`tool_call_id` comes from the provider and may come again, in the same turn too: tell calls by the seq of this event.",
      "`input` is any JSON value, null included. Numbers beyond 2^53 in it are rounded by JSON.parse.",
    ],
    example: {
      turn_id: "t1",
      tool_call_id: "call_1",
      name: "edit",
      input: { path: "src/a.ts", old_string: "x", new_string: "y" },
    },
  },
  "tool.approval_required": {
    when: "A call would cross a border and waits for an answer.",
    notes: [
      "It is sent a moment before an answer can be taken: `approval_already_resolved` to a very fast answer may be wrong. Try again until `tool.approval_resolved` is there.",
      "`approval_id` is turn and index in a batch: two batches of one turn share ids. Tell approvals by the seq of this event.",
      "`expires_at` is the zero time in 0.20.0: no deadline is known. The daemon has one (120 s unless it was started with another), and denies when it passes.",
      "`boundary_crossed` is open. Answers for the project and for ever are kept only for `network`.",
    ],
    example: {
      approval_id: "t1-0",
      turn_id: "t1",
      tool_call_id: "call_1",
      tool: "bash",
      command: "npm install",
      boundary_crossed: "network",
      expires_at: "2026-08-11T12:02:00Z",
      reason: "installs packages",
      rule: "npm *",
    },
  },
  "tool.approval_resolved": {
    when: "The answer that counts, from whoever was first; or the deadline, an interrupt or the end of the session, which deny.",
    notes: ["An answer that is none of the five is kept and grants nothing."],
    example: { approval_id: "t1-0", decision: "allow_session" },
  },
  "tool.completed": {
    when: "A call ran. Calls complete in any order.",
    notes: [
      "Not every call gets one: unknown tools, bad arguments, refusals and failures to run end without. Early daemons sent some without a request.",
      "`ok` means that the tool ran: a command that exited with 2 is ok. Exit 0 is `has_exit` without `exit_code`; without `has_exit` it was no process.",
      "There is no `turn_id`. Both times are always sent, and are the zero time when they are unknown.",
      "`diff` holds hunks only (`@@ -1,2 +1,3 @@ path`), of several files one behind the other, cut at 400 lines.",
    ],
    example: {
      tool_call_id: "call_1",
      ok: true,
      output: "exit 2\nno such file\n",
      truncated: false,
      exit_code: 2,
      has_exit: true,
      duration_ms: 41,
      started_at: "2026-08-11T12:00:01.25Z",
      finished_at: "2026-08-11T12:00:01.291-03:00",
    },
  },
  "plan.updated": {
    when: "The whole plan, whenever it changes. An empty list clears it.",
    example: {
      items: [
        { id: 1, text: "read", status: "done" },
        { id: 2, text: "write", status: "active" },
        { id: 3, text: "ship", status: "blocked", blocked: "no access" },
      ],
    },
  },
  progress: {
    since: "0.2.0",
    when: "How far something is: the turn's `rounds`, calls `in_flight`, bytes of a call's `arguments`, `files` of a scan.",
    notes: [
      "Of kind `arguments` it comes before the call's `tool.requested`, and is the only one with `name`.",
      "An absent `total` is unknown, an absent `tool_call_id` means the turn itself.",
    ],
    example: { turn_id: "t1", tool_call_id: "call_9", name: "write", kind: "arguments", done: 512 },
  },
  "skill.loaded": {
    since: "0.18.0",
    when: "A skill's text entered the turn.",
    example: { name: "release", when_to_use: "publishing a version" },
  },
  "context.band": {
    since: "0.5.0",
    when: "The context passed a threshold on its way to being summarised.",
    notes: [
      "`band` is an ordinal: 0 none, then 60, 80 and 92 percent of the budget.",
      "`fraction` is of the window, not of the budget, in the daemons that were read, and may pass 1.",
    ],
    example: { band: 2, fraction: 0.64 },
  },
  "done.proposed": {
    since: "0.9.0",
    when: "A measured definition of done waits for a signature. When `expires_at` passes, it is refused.",
    notes: ["No route takes the signature in 0.20.0. A null `criteria` reads as empty."],
    example: {
      proposal_id: "p1",
      turn_id: "t1",
      round: 1,
      criteria: [
        {
          name: "tests",
          command: "pnpm test",
          exit_code: 0,
          expects: "fail",
          why: "new behaviour",
          class: "acceptance",
          exit: 1,
          output: "1 failed",
          mismatch: true,
        },
      ],
      protected: ["tasks.md"],
      expires_at: "2026-08-11T12:10:00Z",
    },
  },
  "done.signed": {
    since: "0.9.0",
    when: "A definition of done was signed.",
    notes: ["No payload is declared and nothing that sends it is known: any JSON value."],
    example: null,
  },
};
