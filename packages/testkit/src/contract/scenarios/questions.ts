import assert from "node:assert/strict";
import type { Step } from "@acp-kit/demo-agent";
import { promptsIn } from "../../agent/record.ts";
import { waitFor } from "../../wait-for.ts";
import {
  CONTRACT_DEADLINE_MS,
  type ContractApp,
  type ContractChat,
  echoOf,
  seen,
} from "../contract-app.ts";
import type { ContractScenario } from "../contract-scenario.ts";
import { countOf } from "../words.ts";

const WITHDRAW_AFTER_MS = 1_000;

/** Asks whether to run a command of that name, and says what was answered: `name granted`. */
function ask(name: string, withdrawAfterMs?: number): readonly Step[] {
  const outcomes = { yes: "granted", no: "refused", withdrawn: "withdrawn" };
  return [
    { kind: "text", text: "Wait." },
    {
      kind: "ask",
      toolCall: {
        toolCallId: `${name}-{{session}}`,
        title: "A harmless title",
        kind: "execute",
        rawInput: { command: `run-${name}` },
      },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
      on: Object.fromEntries(
        Object.entries(outcomes).map(([key, word]) => [
          key,
          [{ kind: "text", text: `${name} ${word}` } as const],
        ]),
      ),
      ...(withdrawAfterMs !== undefined && { withdrawAfterMs }),
    },
  ];
}

const REFUSED = /only the person|may not|private/i;

async function asked(app: ContractApp, name: string): Promise<ContractChat> {
  const chat = app.open();
  await chat.say("ana", `please ${name}`);
  // What would run is shown, and not what the agent calls it.
  await seen(chat, "ana", `run-${name}`);
  return chat;
}

/** When turns ended, as the log tells it, in milliseconds since the epoch. */
function turnEnds(output: string): number[] {
  const lines = output.split("\n").filter((line) => line.includes("turn ended"));
  return lines.map((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? ""));
}

function promptsWith(app: ContractApp, text: string): number {
  return promptsIn(app.record).filter((prompt) => prompt.text.includes(text)).length;
}

export const questions: readonly ContractScenario[] = [
  {
    title: "yes to a question shows what would run, reaches the agent once, and its turn goes on",
    on: { build: ask("build") },
    async run(app) {
      const chat = await asked(app, "build");
      await chat.answer("ana", "yes");
      const text = await seen(chat, "ana", "build granted");
      assert.equal(countOf("build granted", text), 1);
      assert.ok(text.indexOf("run-build") < text.indexOf("build granted"));
      assert.equal(countOf("Wait.", text), 1);
      assert.equal(promptsWith(app, "build"), 1);
    },
  },
  {
    title: "no to a question is the option that refuses",
    on: { wipe: ask("wipe") },
    async run(app) {
      const chat = await asked(app, "wipe");
      await chat.answer("ana", "no");
      assert.ok(!(await seen(chat, "ana", "wipe refused")).includes("granted"));
      assert.equal(promptsWith(app, "wipe"), 1);
    },
  },
  {
    title: "yes of somebody who did not ask is no yes; that of who asked still is",
    on: { deploy: ask("deploy") },
    async run(app) {
      const chat = await asked(app, "deploy");
      await chat.answer("bob", "yes");
      await seen(chat, "bob", REFUSED);
      await chat.answer("eve", "yes");
      await seen(chat, "eve", REFUSED);
      assert.ok(!chat.see("ana").includes("deploy granted"));
      await chat.answer("ana", "yes");
      assert.equal(countOf("deploy granted", await seen(chat, "ana", "deploy granted")), 1);
    },
  },
  {
    title: "yes to a question that has ended is told that it came too late, and reaches no agent",
    // Its end is seen in the log: who asked has seen the question last, and does not know.
    isAlone: true,
    on: { migrate: ask("migrate", WITHDRAW_AFTER_MS) },
    async run(app) {
      // The turn of an earlier scenario may end behind the beginning of this one, but not so late.
      const earliest = Date.now() + WITHDRAW_AFTER_MS;
      const chat = await asked(app, "migrate");
      const ended = () => turnEnds(app.output).some((at) => at >= earliest);
      await waitFor("the turn to end", ended, CONTRACT_DEADLINE_MS);
      await chat.answer("ana", "yes");
      await seen(chat, "ana", /too late|is over/i);
      assert.ok(!(await seen(chat, "ana", "migrate withdrawn")).includes("migrate granted"));
      await chat.say("ana", "all-the-same");
      await seen(chat, "ana", echoOf("all-the-same"));
      assert.equal(promptsWith(app, "migrate"), 1);
    },
  },
];
