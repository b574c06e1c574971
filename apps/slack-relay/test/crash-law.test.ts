import { setTimeout } from "node:timers/promises";
import { waitFor } from "@acp-kit/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";
import { readTurns } from "./logged-turns.ts";
import { answering, joined, type Said, seenIn, settled, TALKERS } from "./talkers.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";
/** The law in full, and a little of it in every run of the suite. */
const CRASHES = isSoak ? 20 : 2;
const PLACES = TALKERS.slice(0, 3);
/** The latest moment of a crash behind a message; an answer takes about 4 s from its message on. */
const LATEST_MS = 3_000;
const SEED = isSoak ? Date.now() : 1;

test(
  "after kill -9 at any moment no message is lost, none reaches the agent twice, and what the log has is shown once",
  async () => {
    // A process that has just started does not know what the one before it has used up of Slack's rates: signs of work would
    // stay for a minute.
    await using relay = await KeptRelay.start({ agent: answering, slack: { rates: false } });
    const said: Said[] = [];
    const say = (user: string, channel: string, text: string) => {
      said.push({ text, channel });
      relay.slack.person(user).say(channel, `<@U0BOT> ${text}`);
    };
    // From here on the relay knows the places: it looks there for what it has missed.
    for (const [nth, [user, channel]] of PLACES.entries()) say(user, channel, `first-${nth} blink`);
    await allShown(relay, said);
    const moments = fc.sample(fc.nat(LATEST_MS), { seed: SEED, numRuns: CRASHES });
    for (const [crash, ms] of moments.entries()) {
      for (const [nth, [user, channel]] of PLACES.entries()) {
        say(user, channel, `${crash}-${nth} long`);
      }
      await setTimeout(ms);
      await relay.crash();
      say("U0BOB", "D0BOB", `${crash}-missed blink`);
      await relay.start();
      await allShown(relay, said);
    }

    const logged = readTurns(relay);
    expect(logged.map(({ prompt }) => prompt).toSorted()).toEqual(
      said.map(({ text }) => text).toSorted(),
    );
    expect(new Set(relay.prompts).size).toBe(relay.prompts.length);
    for (const { prompt, text, outcome } of logged) {
      const channel = said.find((one) => one.text === prompt)?.channel ?? "";
      const answers = joined(seenIn(relay, channel)).match(new RegExp(`\\(${prompt}\\.*\\)?`, "g"));
      expect([prompt, outcome, ...(answers ?? [])]).toEqual([
        ...[prompt, expect.stringMatching(/^(?:completed|interrupted)$/)],
        ...(text === "" ? [] : [text]),
      ]);
    }
    if (isSoak) {
      const cut = logged.filter(({ outcome }) => outcome === "interrupted").length;
      process.stdout.write(`${JSON.stringify({ seed: SEED, turns: logged.length, cut })}\n`);
    }
  },
  (CRASHES + 2) * SOON_MS,
);

/** Resolves once each message has an answer, or is said to have none, and nothing is left that looks as if it ran. */
async function allShown(relay: KeptRelay, said: readonly Said[]): Promise<void> {
  const ended = () => readTurns(relay).filter(({ outcome }) => outcome !== "");
  await waitFor("all turns to end", () => ended().length >= said.length, SOON_MS);
  for (const channel of new Set(said.map((one) => one.channel))) await settled(relay, channel);
}
