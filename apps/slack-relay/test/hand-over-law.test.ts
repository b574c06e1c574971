import { setTimeout } from "node:timers/promises";
import { waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";
import { answering, expectEachOnce, settled, TALKERS, talk } from "./talkers.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";
/** The law in full, and a little of it in every run of the suite. */
const FOR_MS = isSoak ? 60_000 : 4_000;
/**
 * Few enough for what Slack takes of an app in that time. In full no app may do so much: it is not limited then, and signs
 * for which the last process finds no time in its own budget are taken away by the next.
 */
const LAW_TALKERS = TALKERS.slice(0, isSoak ? TALKERS.length : 3);
const SIGHUP_EVERY_MS = 2_000;
/** Generations without which the law would say nothing. */
const MIN_SERVED = 3;

test(
  "people who write all the time notice nothing of a SIGHUP every 2 s, and of a SIGTERM at the end",
  async () => {
    await using relay = await KeptRelay.start({ agent: answering, slack: { rates: !isSoak } });
    const over = new AbortController();
    const talking = LAW_TALKERS.map((_, nth) => talk(relay, nth, over.signal));
    const endAt = performance.now() + FOR_MS;
    const served = () => relay.stderr.split("a generation serves").length - 1;
    while (performance.now() < endAt || served() < MIN_SERVED) {
      await setTimeout(SIGHUP_EVERY_MS);
      relay.kill("SIGHUP");
    }
    over.abort();
    const said = (await Promise.all(talking)).flat();
    relay.kill("SIGTERM");
    expect(await relay.ends()).toBe(0);

    expect(relay.prompts.toSorted()).toEqual(said.map(({ text }) => text).toSorted());
    if (isSoak) {
      await relay.start();
      for (const [, channel] of LAW_TALKERS) await settled(relay, channel, 2 * SOON_MS);
    }
    await expectEachOnce(relay, said);
    expect(relay.stderr).not.toMatch(/"level":"(?:error|fatal)"/);
    if (isSoak) {
      const { length: turns } = said;
      process.stdout.write(`${JSON.stringify({ turns, generations: served() })}\n`);
    }
  },
  FOR_MS + (isSoak ? 6 : 3) * SOON_MS,
);

test(
  "an answer that runs at a SIGTERM comes to its end before the process does",
  async () => {
    await using relay = await KeptRelay.start({ agent: answering });
    relay.slack.person("U0ANA").say("C0SHOP", "<@U0BOT> a-1 long");
    relay.slack.person("U0BOB").say("D0BOB", "b-1 long");
    await relay.shows("U0ANA", "C0SHOP", /\(a-1 long/);
    await relay.shows("U0BOB", "D0BOB", /\(b-1 long/);
    relay.kill("SIGTERM");
    const hasEnded = () => relay.stderr.includes("a generation has ended");
    await waitFor("the generation to end", hasEnded, SOON_MS);
    const endedAt = performance.now();
    expect(await relay.ends()).toBe(0);
    // Nothing is left that a process would wait for.
    expect(performance.now() - endedAt).toBeLessThan(5_000);
    await expectEachOnce(relay, [
      { text: "a-1 long", channel: "C0SHOP" },
      { text: "b-1 long", channel: "D0BOB" },
    ]);
  },
  3 * SOON_MS,
);

test(
  "an answer that does not end is ended visibly when the time to drain is over",
  async () => {
    const hanging = { prompt: [{ kind: "text", text: "so far" }, { kind: "wait" }] } as const;
    await using relay = await KeptRelay.start({
      agent: hanging,
      config: { lifecycle: { drainSeconds: 1 } },
    });
    relay.slack.person("U0ANA").say("C0SHOP", "<@U0BOT> a-1");
    relay.slack.person("U0BOB").say("D0BOB", "b-1");
    await relay.shows("U0ANA", "C0SHOP", /so far/);
    await relay.shows("U0BOB", "D0BOB", /so far/);
    relay.kill("SIGTERM");
    expect(await relay.ends()).toBe(0);
    for (const channel of ["C0SHOP", "D0BOB"]) await settled(relay, channel);
    // Before the next start, which would say it too.
    await relay.shows(
      "U0ANA",
      "C0SHOP",
      /so far\s+(?:agent: )?_\(stopped: the relay is going down/,
    );
    await relay.shows("U0BOB", "D0BOB", /so far\s+(?:agent: )?_\(stopped: the relay is going down/);
  },
  3 * SOON_MS,
);

test(
  "what is written while no relay runs is answered when one does, once",
  async () => {
    await using relay = await KeptRelay.start({ agent: answering });
    const { slack } = relay;
    slack.person("U0BOB").say("D0BOB", "b-0 blink");
    await relay.shows("U0BOB", "D0BOB", /\(b-0 blink\.+\)/);
    slack.person("U0ANA").say("C0SHOP", "<@U0BOT> a-0 blink");
    await relay.shows("U0ANA", "C0SHOP", /\(a-0 blink\.+\)/);
    relay.kill("SIGTERM");
    expect(await relay.ends()).toBe(0);
    slack.person("U0BOB").say("D0BOB", "b-1 short");
    slack.person("U0ANA").say("C0SHOP", "<@U0BOT> a-1 short");
    await relay.start();
    await relay.shows("U0BOB", "D0BOB", /\(b-1 short\.+\)/);
    await relay.shows("U0ANA", "C0SHOP", /\(a-1 short\.+\)/);
    for (const channel of ["C0SHOP", "D0BOB"]) await settled(relay, channel);
    expect(relay.prompts).toHaveLength(4);
  },
  3 * SOON_MS,
);
