import type { PlanEntry, SessionUpdate } from "@acp-kit/acp-wire";
import * as say from "./demo-text.ts";
import type { Script, Step } from "./script.ts";

/** 100 letters a second: faster than one reads, slower than one waits. */
const telling = { size: 8, everyMs: 80 };
const musing = { size: 4, everyMs: 80 };

const todo = ["Look at the folder", "Change one line", "Say what happened"];

/** The plan while its entry `current` is being worked on: -1 before the first, `todo.length` behind the last. */
function plan(current: number): Step {
  const entries = todo.map((content, index): PlanEntry => {
    const status = index < current ? "completed" : index === current ? "in_progress" : "pending";
    return { content, priority: "medium", status };
  });
  return update({ sessionUpdate: "plan", entries });
}

function status(mood: string, done: number): Step {
  return { kind: "status", mood, plan: `${done}/${todo.length}` };
}

function update(update: SessionUpdate): Step {
  return { kind: "update", update };
}

const wait = (ms: number): Step => ({ kind: "wait", ms });
const text = (text: string): Step => ({ kind: "text", text, pace: telling });

/** Texts with time to breathe between them. */
function tell(...texts: readonly string[]): Step[] {
  return texts.flatMap((each, index) => (index === 0 ? [text(each)] : [wait(1_000), text(each)]));
}

const lookAround: Step[] = [
  update({
    sessionUpdate: "tool_call",
    toolCallId: "read-{{turn}}",
    title: "Read README.md",
    kind: "read",
    status: "in_progress",
    rawInput: { path: "README.md" },
    locations: [{ path: "{{cwd}}/README.md" }],
  }),
  wait(2_800),
  update({
    sessionUpdate: "tool_call_update",
    toolCallId: "read-{{turn}}",
    status: "completed",
    content: [
      { type: "content", content: { type: "text", text: "# Hello\n\nA pretend project.\n" } },
    ],
  }),
];

const edit = {
  toolCallId: "edit-{{turn}}",
  title: "Edit greeting.ts",
  kind: "edit",
  rawInput: { path: "greeting.ts", from: "Hello, world!", to: "Hello, you!" },
  locations: [{ path: "{{cwd}}/greeting.ts", line: 1 }],
  content: [
    {
      type: "diff" as const,
      path: "{{cwd}}/greeting.ts",
      oldText: 'export const greeting = "Hello, world!";\n',
      newText: 'export const greeting = "Hello, you!";\n',
    },
  ],
};

function editEnds(status: "completed" | "failed", remark: string): Step[] {
  return [
    update({ sessionUpdate: "tool_call_update", toolCallId: edit.toolCallId, status }),
    text(remark),
  ];
}

const makeTheEdit: Step[] = [
  update({ sessionUpdate: "tool_call_update", toolCallId: edit.toolCallId, status: "in_progress" }),
  wait(2_200),
  ...editEnds("completed", say.edited),
];

const changeOneLine: Step[] = [
  update({ sessionUpdate: "tool_call", ...edit, status: "pending" }),
  {
    kind: "when",
    says: "ask",
    steps: [
      {
        kind: "ask",
        toolCall: edit,
        options: [
          { optionId: "once", name: "Yes, this once", kind: "allow_once" },
          { optionId: "always", name: "Yes, always", kind: "allow_always" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
        on: {
          once: makeTheEdit,
          always: makeTheEdit,
          no: editEnds("failed", say.refused),
          cancelled: editEnds("failed", say.unanswered),
          error: editEnds("failed", say.unanswered),
        },
      },
    ],
    otherwise: makeTheEdit,
  },
];

const work: Step[] = [
  plan(0),
  status("curious", 0),
  ...lookAround,
  plan(1),
  status("busy", 1),
  ...changeOneLine,
  plan(2),
  status("chatty", 2),
];

const done: Step[] = [
  plan(todo.length),
  update({ sessionUpdate: "usage_update", used: 2_400, size: 32_000 }),
  status("content", todo.length),
];

/** The demo: one turn that shows everything a chat can show, in some 20 seconds. */
export const demoScript: Script = {
  agent: {
    models: [
      { id: "demo/swift", name: "Swift", description: "Goes straight to work" },
      { id: "demo/thorough", name: "Thorough", description: "Thinks twice before it starts" },
    ],
    modes: [
      { id: "do", name: "Do", description: "Works with its (pretend) tools" },
      { id: "plan", name: "Plan", description: "Only says what it would do" },
    ],
  },
  session: [
    { kind: "answer" },
    update({
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "ask", description: "Asks before it changes the file" }],
    }),
  ],
  prompt: [
    { kind: "status", mood: "awake" },
    {
      kind: "when",
      turn: 1,
      steps: [{ kind: "thought", text: say.firstThought, pace: musing }],
      otherwise: [{ kind: "thought", text: say.laterThought, pace: musing }],
    },
    {
      kind: "when",
      model: "demo/thorough",
      steps: [{ kind: "thought", text: say.secondThought, pace: musing }],
    },
    {
      kind: "when",
      mode: "plan",
      steps: [plan(-1), wait(1_000), text(say.planMode), status("ready", 0)],
      otherwise: [
        ...work,
        {
          kind: "when",
          turn: 1,
          steps: tell(say.welcome, say.whatYouSaw, say.tryNext),
          otherwise: tell(say.welcomeBack, say.whenThingsBreak, say.underTheHood),
        },
        ...done,
      ],
    },
    {
      kind: "answer",
      result: { usage: { inputTokens: 1_900, outputTokens: 500, totalTokens: 2_400 } },
    },
  ],
  cancel: [{ kind: "status", mood: "stopped" }],
};
