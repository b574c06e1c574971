import { YES_NO } from "@acp-kit/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type SurfaceProcess, SurfaceRig } from "../surface-rig.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";

const fault = fc.constantFrom(
  { kind: "break" as const },
  { kind: "lose-answer" as const },
  { kind: "rate-limit" as const, retryAfterS: 3 },
  { kind: "rate-limit" as const, retryAfterS: 3, status: 200 as const },
  { kind: "false-error" as const, error: "internal_error" },
  { kind: "error" as const, error: "msg_too_long" },
  { kind: "error" as const, error: "service_unavailable" },
);

const method = fc.constantFrom(
  ...["*", "chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream"],
  ...["chat.stopStream", "conversations.replies", "reactions.remove"],
);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      words: fc.integer({ min: 1, max: 300 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fence" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("table" as const),
      rows: fc.integer({ min: 1, max: 80 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("think" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("tool" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask" as const) }) },
  // Is answered beside the turn.
  { weight: 1, arbitrary: fc.record({ do: fc.constant("get" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      fault,
      method,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.integer({ min: 50, max: 8_000 }),
    }),
  },
  // A stream does not live so long.
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constant(310_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
);

const scenario = fc.record({
  channel: fc.constantFrom("C0SHOP", "D0ANA", "G0GROUP"),
  steps: fc.array(step, { minLength: 1, maxLength: 20 }),
  /** Before which step the relay is killed, if that is there. */
  crashAt: fc.option(fc.nat(25)),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** The words of a text in their order, without what may stand there twice. */
const wordsOf = (text: string) => text.match(/w\d+/g) ?? [];

async function run(rig: SurfaceRig, { channel, steps, crashAt }: Scenario) {
  let process: SurfaceProcess = await rig.open();
  const thread = rig.ana.say(channel, "<@U0BOT> tell me");
  const prompt = await rig.prompted(1);
  let [words, tools, isFenced, hasDied] = [0, 0, false, false];
  const next = () => {
    words += 1;
    return `w${words}`;
  };
  const killed = async () => {
    await process.crash();
    rig.slack.heal();
    process = await rig.open();
  };
  for (const [at, each] of steps.entries()) {
    if (at === crashAt) {
      hasDied = true;
      await killed();
      break;
    }
    switch (each.do) {
      case "say":
        for (let count = 0; count < each.words; count += 1) {
          prompt.say(`${next()}${words % 7 === 0 ? "\n" : " "}${words % 50 === 0 ? "\n" : ""}`);
        }
        break;
      case "fence":
        prompt.say(isFenced ? "\n```\n\n" : "\n\n```ts\n");
        isFenced = !isFenced;
        break;
      case "table":
        if (isFenced) break;
        prompt.say("\n\n| head | other |\n| --- | --- |\n");
        for (let row = 0; row < each.rows; row += 1) prompt.say(`| ${next()} | ${next()} |\n`);
        prompt.say("\n");
        break;
      case "think":
        prompt.update({
          sessionUpdate: "agent_thought_chunk",
          content: { type: "text", text: "Hm." },
        });
        break;
      case "tool":
        if (tools % 2 === 0) prompt.startTool(`t${tools}`, `tool ${tools}`);
        else prompt.endTool(`t${tools - 1}`);
        tools += 1;
        break;
      case "ask":
        if (isFenced) break;
        void prompt.ask(`run ${words}`, YES_NO);
        break;
      case "get":
        rig.ana.say(channel, "<@U0BOT> !get .env", { thread });
        break;
      case "fail":
        rig.slack.fail(each.method, each.fault, each.times);
        break;
      case "wait":
        await rig.move(each.ms, each.ms > 60_000 ? 5_000 : 50);
        break;
      case "cut":
        rig.slack.socketMode.cut();
    }
  }
  if (!hasDied) prompt.end();
  // Or it dies when all is said, and perhaps not all is shown.
  if (crashAt === steps.length) await killed();
  await rig.until(() => process.isQuiet(), 900_000, 250);
  return { process, thread, words };
}

test(
  "whatever fails and whenever the relay dies, each word is read once and nothing is left behind",
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        await using rig = await SurfaceRig.start({ isMortal: true });
        const { process, thread, words } = await run(rig, given);
        const conversation = `slack/shop/T0ACME/${given.channel}/${thread}`;
        const log = process.router.log(conversation);
        const [last, cursor] = [await log.last(), log.follow({ after: 0 })];
        let logged = "";
        while (cursor.seq < last) {
          for (const event of (await cursor.next()) ?? [])
            if (event.kind === "text") logged += event.text;
        }
        if (given.crashAt === null || given.crashAt > given.steps.length)
          expect(wordsOf(logged)).toHaveLength(words);
        const shown = rig.bodies(given.channel, thread).join("\n");
        expect(wordsOf(shown)).toEqual(wordsOf(logged));
        const seen = rig.ana.see(given.channel);
        expect(seen).not.toMatch(/~|:eyes:|…$|⚠|\[Stop\]/m);
        expect(rig.ana.buttons(given.channel)).toEqual([]);
      }),
      { numRuns: isSoak ? 300 : 12 },
    );
  },
  isSoak ? 3_600_000 : 60_000,
);
