import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promptsIn } from "../../agent/record.ts";
import { waitFor } from "../../wait-for.ts";
import { CONTRACT_DEADLINE_MS, type ContractApp, echoOf, seen } from "../contract-app.ts";
import type { ContractScenario } from "../contract-scenario.ts";

function sessionOf(app: ContractApp, word: string): string | undefined {
  return promptsIn(app.record).find(({ text }) => text.includes(word))?.session;
}

export const peopleAndFiles: readonly ContractScenario[] = [
  {
    title: "somebody without access is told their id, and nothing of theirs reaches the agent",
    async run(app) {
      const chat = app.open();
      await chat.say("eve", "let-me-in");
      await seen(chat, "eve", app.idOf("eve"));
      await chat.say("ana", "good-morning");
      await seen(chat, "ana", echoOf("good-morning"));
      assert.ok(!JSON.stringify(app.record).includes("let-me-in"));
    },
  },
  {
    title: "commands are answered by the relay, start no turn, and reach no agent",
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "first-of-all");
      await seen(chat, "ana", echoOf("first-of-all"));
      await chat.say("ana", "!help");
      await seen(chat, "ana", "!stop");
      await chat.say("ana", "!status");
      await seen(chat, "ana", /scratch\b/);
      await chat.say("ana", "!halp");
      await seen(chat, "ana", /Did you mean/);
      await chat.say("ana", "!new");
      await seen(chat, "ana", /afresh|new session/i);
      await chat.say("ana", "last-of-all");
      await seen(chat, "ana", echoOf("last-of-all"));
      assert.notEqual(sessionOf(app, "last-of-all"), sessionOf(app, "first-of-all"));
      assert.ok(!promptsIn(app.record).some(({ text }) => /!(?:help|halp|status|new)/.test(text)));
    },
  },
  {
    title: "a file that comes with a message is there for the agent, byte by byte",
    async run(app) {
      const chat = app.open();
      const bytes = Buffer.from("one,two\n\u0000\u00ff\n", "latin1");
      await chat.say("ana", "look-at-this", { name: "table.csv", bytes });
      await seen(chat, "ana", echoOf("look-at-this"));
      const prompt = app.record
        .filter((fact) => fact.kind === "received" && fact.method === "session/prompt")
        .map((fact) => JSON.stringify(fact))
        .find((fact) => fact.includes("look-at-this"));
      const [uri = ""] = /file:[^"]*table\.csv/.exec(prompt ?? "") ?? [];
      assert.deepEqual(readFileSync(fileURLToPath(uri)), bytes);
    },
  },
  {
    title:
      "a file of the agent's folder is sent to who asks for it, byte by byte; a secret one is not",
    on: { whereabouts: [{ kind: "text", text: "`{{cwd}}`" }] },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "whereabouts");
      const [, cwd = ""] = /`(\/[^`]+)`/.exec(await seen(chat, "ana", /`\/[^`]+`/)) ?? [];
      const bytes = Buffer.from("result\u0000\u00ff", "latin1");
      writeFileSync(join(cwd, "report.bin"), bytes);
      writeFileSync(join(cwd, ".env"), "PASSWORD=1");
      await chat.say("ana", "!get .env");
      await chat.say("ana", "!get report.bin");
      const file = await waitFor(
        "the file",
        async () => (await chat.files()).find(({ name }) => name === "report.bin"),
        CONTRACT_DEADLINE_MS,
      );
      assert.deepEqual(Buffer.from(file.bytes), bytes);
      assert.deepEqual(
        (await chat.files()).map(({ name }) => name),
        ["report.bin"],
      );
    },
  },
];
