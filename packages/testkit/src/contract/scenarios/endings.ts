import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { promptsIn } from "../../agent/record.ts";
import { waitFor } from "../../wait-for.ts";
import { CONTRACT_DEADLINE_MS, type ContractApp, echoOf, seen } from "../contract-app.ts";
import type { ContractScenario } from "../contract-scenario.ts";
import { countOf, findNumberedWords, numberedText, numberedWords } from "../words.ts";

const WORDS = 300;
const pace = { size: 12, everyMs: 20 };

async function cancelled(app: ContractApp, word: string): Promise<void> {
  const session = promptsIn(app.record).find(({ text }) => text.includes(word))?.session;
  const isCancelled = () =>
    app.record.some(
      (fact) =>
        fact.kind === "received" &&
        fact.method === "session/cancel" &&
        (fact.params as { sessionId?: unknown }).sessionId === session,
    );
  await waitFor(`the cancel of ${word}`, isCancelled, CONTRACT_DEADLINE_MS);
}

/** Asserts that what stands there is what was said at first, without a hole and without anything twice. */
function assertPrefix(letter: string, text: string, least: number): void {
  const words = findNumberedWords(letter, text);
  assert.deepEqual(words, numberedWords(letter, words.length));
  assert.ok(words.length >= least, `${words.length} words of ${least} that had been seen`);
}

export const endings: readonly ContractScenario[] = [
  {
    title: "Stop reaches the agent, keeps what was said, and the next message is answered",
    on: { wander: [{ kind: "text", text: "wandering" }, { kind: "wait" }] },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "wander");
      await seen(chat, "ana", "wandering");
      await chat.stop("ana");
      await cancelled(app, "wander");
      await chat.say("ana", "come-back");
      const text = await seen(chat, "ana", echoOf("come-back"));
      assert.equal(countOf("wandering", text), 1);
    },
  },
  {
    title: "an agent that hangs and ignores a cancel is given up, and the next message is answered",
    on: { deaf: [{ kind: "text", text: "not listening" }, { kind: "wait" }] },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "deaf");
      await seen(chat, "ana", "not listening");
      await chat.say("ana", "!stop");
      await cancelled(app, "deaf");
      await chat.say("ana", "hello-again");
      await seen(chat, "ana", echoOf("hello-again"));
    },
  },
  {
    title: "an agent that dies is said in words for people, without its own, and started again",
    isAlone: true,
    on: {
      perish: [
        { kind: "text", text: "Let me see." },
        { kind: "print", to: "stderr", text: "fatal: /etc/agent/token is unreadable" },
        { kind: "exit", code: 3 },
      ],
    },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "perish");
      const text = await seen(chat, "ana", /stopped unexpectedly/);
      assert.match(text, /Let me see\.[\s\S]*exit code 3/);
      assert.ok(!/fatal|\/etc/.test(text));
      await chat.say("ana", "once-more");
      assert.equal(countOf("Let me see.", await seen(chat, "ana", echoOf("once-more"))), 1);
    },
  },
  {
    title:
      "kill -9 in the middle of an answer loses and repeats no word of it, is said, and the chat goes on",
    isAlone: true,
    on: { narrate: [{ kind: "text", text: numberedText("n", WORDS), pace }] },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "narrate");
      const before = await seen(chat, "ana", "n0040");
      await app.kill();
      await app.restart();
      const text = await seen(chat, "ana", /interrupted/i);
      assertPrefix("n", text, findNumberedWords("n", before).length);
      await chat.say("ana", "after-all");
      const all = await seen(chat, "ana", echoOf("after-all"));
      assert.deepEqual(findNumberedWords("n", all), findNumberedWords("n", text));
      assert.equal(promptsIn(app.record).filter((one) => one.text.includes("narrate")).length, 1);
    },
  },
  {
    title: "a new generation takes over in the middle of an answer, which arrives whole",
    isAlone: true,
    on: { chant: [{ kind: "text", text: numberedText("c", WORDS), pace }] },
    async run(app) {
      const [chat, other] = [app.open(), app.open()];
      await chat.say("ana", "chant");
      await seen(chat, "ana", "c0010");
      await app.handOver();
      await other.say("bob", "newcomer");
      await seen(other, "bob", echoOf("newcomer"));
      const [last = ""] = numberedWords("c", WORDS).slice(-1);
      const text = await seen(chat, "ana", last);
      assert.deepEqual(findNumberedWords("c", text), numberedWords("c", WORDS));
      await chat.say("ana", "encore");
      await seen(chat, "ana", echoOf("encore"));
      assert.equal(promptsIn(app.record).filter((one) => one.text.includes("chant")).length, 1);
    },
  },
  {
    title: "SIGTERM ends a turn visibly and leaves no process; the next start goes on",
    isAlone: true,
    on: { idle: [{ kind: "text", text: "idling" }, { kind: "wait" }] },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "idle");
      await seen(chat, "ana", "idling");
      try {
        assert.equal(await app.stop(), 0);
        assert.deepEqual(await app.orphans(), []);
        await seen(chat, "ana", /idling[\s\S]*(?:interrupted|restart|stopp)/i);
      } finally {
        await app.restart();
      }
      await chat.say("ana", "welcome-back");
      const text = await seen(chat, "ana", echoOf("welcome-back"));
      assert.equal(countOf("idling", text), 1);
    },
  },
  {
    title:
      "no secret stands in what was printed, in what people see, or in the agent's environment",
    isAlone: true,
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "!status");
      await seen(chat, "ana", /agent/i);
      await chat.say("ana", "guard");
      await seen(chat, "ana", echoOf("guard"));
      const shown = [app.output, chat.see("ana"), JSON.stringify(app.record)];
      if (process.platform === "linux") {
        shown.push(readFileSync(`/proc/${app.agentPid}/environ`, "utf8"));
      }
      assert.ok(app.secrets.length > 0);
      for (const secret of app.secrets) {
        assert.ok(!shown.some((text) => text.includes(secret)), "a secret is shown");
      }
    },
  },
];
