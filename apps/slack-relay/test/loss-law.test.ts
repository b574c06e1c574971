import { setTimeout as pause } from "node:timers/promises";
import type { TurnOutcome } from "@acp-kit/router";
import { openSqliteStore, type SqliteStore } from "@acp-kit/router/sqlite";
import { type SlackClock, type SlackFault, type SlackMessage, waitFor } from "@acp-kit/testkit";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { KeptRelay } from "./kept-relay.ts";
import { type Answer, anyAnswer } from "./loss-law/answer.ts";
import { readDelivered, readMarkdown } from "./loss-law/delivered.ts";
import { isInOlderMarkup, markdownOf, messagesOf } from "./loss-law/messages.ts";

const isSoak = process.env["ACP_KIT_SOAK"] !== undefined;

/** Scenarios that share a relay, its budget of calls and what happens to it. */
const TOGETHER = isSoak ? 10 : 6;
const BATCHES = isSoak ? 30 : 1;

/** All of a batch has been shown by then, whatever the rates had it wait for, in milliseconds. */
const SHOWN_MS = 120_000;

/** Slack ends a stream after 5 minutes: here, by a jump of its clock. */
const STREAM_LIFE_MS = 300_000;

vi.setConfig({ testTimeout: BATCHES * 2 * SHOWN_MS });

type Trouble =
  | {
      readonly kind: "fault";
      readonly method: string;
      readonly fault: SlackFault;
      readonly times: number;
    }
  | { readonly kind: "cut" | "expire" | "kill" };

const anyTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      method: fc.constantFrom(
        ...[
          "chat.postMessage",
          "chat.update",
          "chat.startStream",
          "chat.appendStream",
          "chat.stopStream",
        ],
        ...["chat.delete", "reactions.add", "agents.sessions.setStatus"],
      ),
      fault: fc.constantFrom<SlackFault>(
        { kind: "rate-limit", retryAfterS: 1 },
        { kind: "rate-limit", retryAfterS: 2, status: 200 },
        { kind: "error", error: "internal_error" },
        { kind: "error", error: "msg_too_long" },
        { kind: "false-error", error: "fatal_error" },
        { kind: "lose-answer" },
        { kind: "break" },
        { kind: "answer", status: 503, body: "" },
      ),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("expire" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
);

const anyBatch = fc.record({
  answers: fc.tuple(...Array.from({ length: TOGETHER }, (_, at) => anyAnswer(`s${at}`))),
  troubles: fc.array(
    fc.record({ afterMs: fc.integer({ min: 50, max: 900 }), trouble: anyTrouble }),
    {
      minLength: 2,
      maxLength: 10,
    },
  ),
});

type Batch = {
  readonly answers: readonly Answer[];
  readonly troubles: readonly { afterMs: number; trouble: Trouble }[];
};

test("an answer arrives exactly once and whole, or ends with a notice, whatever happens to the platform and the relay", async () => {
  const seed = isSoak ? Date.now() : 7;
  for (const [at, batch] of fc.sample(anyBatch, { seed, numRuns: BATCHES }).entries()) {
    await runBatch(batch, `batch ${at} of seed ${seed}`);
  }
});

async function runBatch({ answers, troubles }: Batch, name: string): Promise<void> {
  let jumpedMs = 0;
  const clock: SlackClock = {
    now: () => Date.now() + jumpedMs,
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
  };
  const prompt = answers.map(({ steps }, at) => ({
    kind: "when" as const,
    says: `scenario${at}`,
    steps,
  }));
  const relay = await KeptRelay.start({ agent: { prompt }, slack: { clock } });
  await using _relay = relay;
  const { slack } = relay;
  const ana = slack.person("U0ANA");
  const asked = answers.map((_, at) => {
    const channel = at % 2 === 0 ? "D0ANA" : "C0SHOP";
    const mention = channel === "C0SHOP" ? "<@U0BOT> " : "";
    return { channel, ts: ana.say(channel, `${mention}scenario${at}`) };
  });
  const answering = new AbortController();
  const pressing = pressEverything(relay, answering.signal);
  for (const { afterMs, trouble } of troubles) {
    await pause(afterMs);
    switch (trouble.kind) {
      case "fault":
        slack.fail(trouble.method, trouble.fault, trouble.times);
        break;
      case "cut":
        slack.socketMode.cut();
        break;
      case "expire":
        jumpedMs += STREAM_LIFE_MS;
        break;
      case "kill":
        relay.kill("SIGKILL");
        await relay.ends();
        await relay.start();
    }
  }
  await using store = await openSqliteStore({ directory: relay.stateDir });
  const readAnswer = (at: number) => {
    const { channel = "", ts = "" } = asked[at] ?? {};
    const log = readLog(store, `slack/chat/T0ACME/${channel}/${ts}`);
    const messages = messagesOf(slack.messages(channel), ts);
    const shown = readDelivered(messages.flatMap(markdownOf));
    return { ...log, expected: readMarkdown(log.said), messages, shown };
  };
  const left = () => asked.flatMap(({ channel, ts }) => unfinished(slack.messages(channel), ts));
  try {
    // Of what waits for the rates nothing is to be seen: there have to be as many letters as the log has.
    const isThere = (at: number) => {
      const { outcome, shown, expected } = readAnswer(at);
      if (outcome === "completed") return shown.length >= expected.length;
      return outcome !== undefined && shown.includes("interrupted");
    };
    const isShown = () => left().length === 0 && asked.every((_, at) => isThere(at));
    await waitFor("all to be shown", isShown, SHOWN_MS);
  } catch (error) {
    const seen = ["D0ANA", "C0SHOP"].map((channel) => ana.see(channel).slice(-1_500)).join("\n");
    const told = `${seen}\n${relay.stderr.slice(-2_000)}`;
    throw new Error(`${name}: ${left().slice(0, 5).join(", ")}\n${told}`, { cause: error });
  }
  answering.abort();
  await pressing;
  relay.kill("SIGTERM");
  await relay.ends();
  for (const [at, { markdown }] of answers.entries()) {
    const { said, outcome, expected, messages, shown } = readAnswer(at);
    const of = `${name}, scenario ${at} in ${asked[at]?.channel}`;
    expect(markdown.startsWith(said), of).toBe(true);
    if (outcome === "completed") expect(said, of).toBe(markdown);
    expect(messages.filter(isInOlderMarkup), of).toEqual([]);
    expect(shown.slice(0, expected.length), of).toBe(expected);
    const rest = shown.slice(expected.length);
    if (outcome === "completed") expect(rest, of).toBe("");
    else expect(rest.match(/interrupted/g), of).toEqual(["interrupted"]);
  }
}

/** What the agent has said in a conversation of one turn, and how that ended, if it did. */
function readLog(store: SqliteStore, conversation: string) {
  let said = "";
  let outcome: TurnOutcome["kind"] | undefined;
  for (const item of store.exportConversation(conversation)) {
    if (item.kind !== "event") continue;
    if (item.event.kind === "text") said += item.event.text;
    if (item.event.kind === "turn-end") outcome = item.event.outcome.kind;
  }
  return { said, outcome };
}

/** Says yes to every question, once. */
async function pressEverything(relay: KeptRelay, signal: AbortSignal): Promise<void> {
  const ana = relay.slack.person("U0ANA");
  const pressed = new Set<string>();
  while (!signal.aborted) {
    for (const channel of ["D0ANA", "C0SHOP"]) {
      for (const button of ana.buttons(channel)) {
        if (button.text !== "Allow once" || pressed.has(button.ts)) continue;
        // While no relay hears it, it is lost.
        const { state } = await ana.click(channel, button);
        if (state === "acknowledged") pressed.add(button.ts);
      }
    }
    await pause(200);
  }
}

/** Whatever is not as it has to be at the end of a turn, in words. */
function unfinished(messages: readonly SlackMessage[], ts: string): readonly string[] {
  const asked = messages.find((message) => message.ts === ts);
  const signs = [...(asked?.reactions ?? [])].filter(([, people]) => people.has("U0BOT"));
  const answers = messagesOf(messages, ts);
  return [
    ...(answers.length === 0 ? ["nothing"] : []),
    ...signs.map(([name]) => `sign ${name}`),
    ...answers.flatMap((message) => [
      ...(message.stream?.state === "in_progress" ? ["live stream"] : []),
      ...liveBlocks(message).map((block) => JSON.stringify(block).slice(0, 200)),
    ]),
  ];
}

/** Buttons, and what may vanish; a question that has ended says so for good. */
function liveBlocks({ blocks }: SlackMessage) {
  const isQuestion = blocks.some(({ type }) => type === "section");
  return blocks.filter(({ type }) => type === "actions" || (type === "context" && !isQuestion));
}
