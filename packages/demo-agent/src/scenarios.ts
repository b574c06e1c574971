import { demoScript } from "./demo.ts";
import type { Script } from "./script.ts";

/** Built-in scripts, for trying out a client by hand: `acp-demo-agent --scenario NAME`. */
export const scenarios: Readonly<Record<string, Script>> = {
  demo: demoScript,
  /** Says what it was told. */
  echo: { prompt: [{ kind: "text", text: "{{prompt}}" }] },
  /** Asks, and says what was answered. */
  ask: {
    prompt: [
      {
        kind: "ask",
        toolCall: {
          toolCallId: "ask",
          title: "Run `ls`",
          kind: "execute",
          rawInput: { command: "ls" },
        },
        options: [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
        on: {
          yes: [{ kind: "text", text: "You said yes." }],
          no: [{ kind: "text", text: "You said no." }],
          cancelled: [{ kind: "text", text: "Nobody answered." }],
        },
      },
    ],
  },
  /** Says a line a second for an hour. */
  endless: {
    prompt: [
      {
        kind: "repeat",
        times: 3_600,
        steps: [
          { kind: "text", text: "Still here.\n" },
          { kind: "wait", ms: 1_000 },
        ],
      },
    ],
  },
  /** Never answers a prompt, not even when it is cancelled. */
  silent: { prompt: [{ kind: "wait" }], cancel: [{ kind: "wait" }] },
  /** Dies in the middle of a turn. */
  crash: {
    prompt: [
      { kind: "text", text: "I was about to say" },
      { kind: "print", to: "stderr", text: "fatal: the demo agent was told to crash" },
      { kind: "exit", code: 3 },
    ],
  },
  /** Prints what is no JSON-RPC to stdout. */
  noisy: {
    session: [{ kind: "print", text: "Welcome to the noisy agent!" }],
    prompt: [
      { kind: "print", text: "DEBUG { not: json" },
      { kind: "text", text: "Noise before, " },
      { kind: "print", text: '["a","list"]' },
      { kind: "text", text: "noise behind." },
      { kind: "print", text: "42" },
    ],
  },
  /** 100,000 chunks as fast as the pipe takes them. */
  flood: { prompt: [{ kind: "flood", lines: 100_000, perWrite: 64 }] },
  /** Outlives the end of its input and SIGTERM. */
  stubborn: {
    prompt: [{ kind: "text", text: "You will have to kill me." }],
    ignore: ["eof", "sigterm"],
  },
};
