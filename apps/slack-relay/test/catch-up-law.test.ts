import { waitFor } from "@acp-kit/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";
import { readTurns } from "./logged-turns.ts";
import { answering, settled } from "./talkers.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";
/** The law in full, and a little of it in every run of the suite. */
const ROUNDS = isSoak ? 10 : 2;
/** Calls of a look after which it may be killed: it makes a few more. */
const MOST_CALLS = 8;
/** Before the platform's next attempt, which comes after a minute; of many rounds the last ones wait for what Slack allows. */
const FOUND_MS = isSoak ? 2 * SOON_MS : 30_000;
const SEED = isSoak ? Date.now() : 1;

test(
  "what was said in and beside threads while no process ran becomes one turn each, also when the ones that look for it are killed",
  async () => {
    await using relay = await KeptRelay.start({ agent: answering, slack: { rates: false } });
    const { slack } = relay;
    const [ana, bob] = [slack.person("U0ANA"), slack.person("U0BOB")];
    const old = ana.say("C0SHOP", "among ourselves");
    ana.say("D0ANA", "first blink");
    const said = ["first blink"];
    await ended(relay, said.length);
    const kills = fc.sample(fc.nat(MOST_CALLS), { seed: SEED, numRuns: ROUNDS });
    for (const [round, calls] of kills.entries()) {
      const name = (what: string) => `${round}-${what} blink`;
      const root = bob.say("G0GROUP", `the build is red ${round}`);
      await settled(relay, "D0ANA");
      await relay.crash();
      const mention = (what: string) => `<@U0BOT> ${name(what)}`;
      // In a thread that nobody has followed, in one that the bot is in by now, and beside them.
      bob.say("G0GROUP", mention("thread"), { thread: root });
      ana.say("C0SHOP", mention("old"), { thread: old });
      ana.say("C0SHOP", mention("channel"));
      bob.say("D0BOB", name("direct"));
      said.push(...["thread", "old", "channel", "direct"].map(name));
      const { promise: until, resolve: free } = Promise.withResolvers<void>();
      slack.fail("conversations.history", { kind: "hold", until });
      await relay.start();
      const before = slack.calls.length;
      free();
      await waitFor("the look to go on", () => slack.calls.length >= before + calls, SOON_MS);
      await relay.crash();
      await relay.start();
      await ended(relay, said.length);
    }
    const turns = readTurns(relay);
    expect(turns.map(({ prompt }) => prompt).toSorted()).toEqual(said.toSorted());
    expect(new Set(relay.prompts).size).toBe(relay.prompts.length);
    for (const channel of ["C0SHOP", "G0GROUP", "D0ANA", "D0BOB"]) await settled(relay, channel);
    if (isSoak) process.stdout.write(`${JSON.stringify({ seed: SEED, turns: turns.length })}\n`);
  },
  (ROUNDS + 2) * SOON_MS,
);

async function ended(relay: KeptRelay, count: number): Promise<void> {
  const over = () => readTurns(relay).filter(({ outcome }) => outcome !== "").length;
  await waitFor("all turns to end", () => over() >= count, FOUND_MS);
}
