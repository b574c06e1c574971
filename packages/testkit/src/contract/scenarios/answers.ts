import assert from "node:assert/strict";
import { promptsIn } from "../../agent/record.ts";
import { echoOf, seen } from "../contract-app.ts";
import type { ContractScenario } from "../contract-scenario.ts";
import { countOf, findNumberedWords, numberedText, numberedWords } from "../words.ts";

const WORDS = 400;

export const answers: readonly ContractScenario[] = [
  {
    title: "an answer that grows arrives whole, each word once, from one prompt",
    on: {
      recite: [{ kind: "text", text: numberedText("k", WORDS), pace: { size: 24, everyMs: 20 } }],
    },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "please recite");
      const [last = ""] = numberedWords("k", WORDS).slice(-1);
      const text = await seen(chat, "ana", last);
      assert.deepEqual(findNumberedWords("k", text), numberedWords("k", WORDS));
      assert.deepEqual(findNumberedWords("k", chat.see("bob")), numberedWords("k", WORDS));
      assert.equal(promptsIn(app.record).filter((one) => one.text.includes("recite")).length, 1);
    },
  },
  {
    title:
      "a conversation in which a turn does not end holds up no other, and shares no word with it",
    on: { linger: [{ kind: "text", text: "lingering" }, { kind: "wait" }] },
    async run(app) {
      const [slow, quick] = [app.open(), app.open()];
      await slow.say("ana", "linger");
      await seen(slow, "ana", "lingering");
      await quick.say("bob", "brisk");
      assert.ok(!(await seen(quick, "bob", "heard brisk")).includes("linger"));
      assert.ok(!slow.see("ana").includes("brisk"));
      await slow.say("ana", "!stop");
      await seen(slow, "ana", /stopped/i);
    },
  },
  {
    title:
      "messages of a conversation wait for its turn, can be listed, and are answered in their order",
    on: {
      dawdle: [
        { kind: "text", text: "dawdling" },
        { kind: "wait", ms: 1_500 },
        { kind: "text", text: ", dawdled" },
      ],
    },
    async run(app) {
      const chat = app.open();
      await chat.say("ana", "dawdle");
      await seen(chat, "ana", "dawdling");
      await chat.say("ana", "second-one");
      await chat.say("ana", "third-one");
      await chat.say("ana", "!queue");
      await seen(chat, "ana", (text) => /second-one[\s\S]*third-one/.test(text));
      await seen(chat, "ana", (text) => countOf("heard", text) === 2);
      const text = chat.see("ana");
      assert.match(text, echoOf("second-one"));
      assert.equal(countOf("dawdled", text), 1);
      const prompts = promptsIn(app.record).map((prompt) => prompt.text);
      const order = ["dawdle", "second-one", "third-one"].map((word) =>
        prompts.findIndex((prompt) => prompt.includes(word)),
      );
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
      );
      assert.ok(!order.includes(-1));
    },
  },
];
