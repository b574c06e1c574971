import { expect, test } from "vitest";
import type { Priority, QueuedResult } from "../../src/index.ts";
import { createQueue, type Rig, startSlack } from "../rig.ts";

const TURNS = 50;
const text = "x".repeat(2_000);
const STEP_MS = 250;

/** Fifty threads in as many places, or in one. */
async function startStorm(places: "direct" | "one-channel") {
  const direct = Array.from({ length: TURNS }, (_, at) => ({
    id: `D${at}`,
    name: `d${at}`,
    kind: "im" as const,
    members: ["U0ANA", "U0BOT"],
  }));
  const rig = await startSlack(places === "direct" ? { channels: direct } : {});
  const turns = Array.from({ length: TURNS }, (_, at) => {
    const channel = places === "direct" ? `D${at}` : "C0SHOP";
    return { channel, thread: rig.slack.person("U0ANA").say(channel, `turn ${at}`) };
  });
  return { rig, turns, ...createQueue(rig) };
}

/** What a publisher does for a turn that says all of it within a second, and asks in between. */
async function publish(
  {
    queue,
    liveStreams,
  }: { queue: ReturnType<typeof createQueue>["queue"]; liveStreams: Set<string> },
  { channel, thread }: { channel: string; thread: string },
  clock: Rig["clock"],
  times: { questions: number[]; finals: number[] },
): Promise<void> {
  const begunAt = clock.now();
  const call = (method: string, priority: Priority, args: object, key?: string) =>
    queue.run({
      method,
      channel,
      priority,
      args: () => ({ channel, ...args }),
      ...(key !== undefined && { key }),
    });
  const asked = call("chat.postMessage", "question", { text: "Run it?", thread_ts: thread }).then(
    () => times.questions.push(clock.now() - begunAt),
  );
  if (queue.admitsStream(liveStreams.size)) {
    liveStreams.add(thread);
    const started = await call("chat.startStream", "text", {
      thread_ts: thread,
      recipient_user_id: "U0ANA",
      recipient_team_id: "T0ACME",
    });
    const chunks = [{ type: "markdown_text", text }];
    await call("chat.stopStream", "final", { ts: tsOf(started), chunks });
    liveStreams.delete(thread);
  } else {
    const placeholder = await call("chat.postMessage", "text", { text: "…", thread_ts: thread });
    const ts = tsOf(placeholder);
    void call("chat.update", "text", { ts, text: text.slice(0, 1_000) }, ts);
    await call("chat.update", "final", { ts, text }, ts);
  }
  times.finals.push(clock.now() - begunAt);
  await asked;
}

function tsOf(result: QueuedResult): string {
  expect(result.kind).toBe("ok");
  return result.kind === "ok" ? String(result.body["ts"]) : "";
}

test.each(["direct", "one-channel"] as const)(
  "50 turns of 2,000 characters within a second (%s) meet no 429, start at most 15 streams a minute and are all told",
  async (places) => {
    const { rig, turns, queue, quiet } = await startStorm(places);
    const { clock, slack } = rig;
    const times = { questions: [] as number[], finals: [] as number[] };
    const liveStreams = new Set<string>();
    const running = turns.map((turn) => publish({ queue, liveStreams }, turn, clock, times));
    let isOver = false;
    const all = Promise.all(running).then(() => {
      isOver = true;
    });
    for (let passed = 0; passed <= 200_000 && !isOver; passed += STEP_MS) {
      await quiet();
      await new Promise(setImmediate);
      clock.advance(STEP_MS);
    }
    await all;
    expect(slack.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    const starts = slack.calls.filter(({ method }) => method === "chat.startStream");
    for (const { at } of starts) {
      const inMinute = starts.filter((each) => each.at > at - 60_000 && each.at <= at);
      expect(inMinute.length).toBeLessThanOrEqual(15);
    }
    expect(times.finals).toHaveLength(TURNS);
    expect(Math.max(...times.finals)).toBeLessThanOrEqual(150_000);
    // One channel takes one post a second, whatever it is for.
    if (places === "direct") expect(Math.max(...times.questions)).toBeLessThanOrEqual(1_000);
    for (const { channel, thread } of turns) {
      const told = slack.messages(channel).filter((each) => {
        const whole = each.stream?.parts.map((part) => (part.kind === "text" ? part.text : ""));
        return each.threadTs === thread && (whole?.join("") ?? each.text) === text;
      });
      expect(told).toHaveLength(1);
    }
  },
);
