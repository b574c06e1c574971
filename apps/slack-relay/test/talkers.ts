import type { Script } from "@acp-kit/demo-agent";
import { waitFor } from "@acp-kit/testkit";
import { expect } from "vitest";
import { type KeptRelay, SOON_MS } from "./kept-relay.ts";

/** Pieces of an answer, by a word of the message; one every 100 ms. */
const lengths = { blink: 5, short: 10, while: 20, long: 40 };

/** Says the message and as many dots as its word asks for, in brackets. */
export const answering: Script = {
  prompt: [
    { kind: "text", text: "({{prompt}}" },
    ...Object.entries(lengths).map(([says, pieces]) => ({
      kind: "when" as const,
      says,
      steps: [{ kind: "text" as const, text: ".".repeat(pieces), pace: { size: 1, everyMs: 100 } }],
    })),
    { kind: "text", text: ")" },
  ],
};

/** A message, and where it was said. */
export type Said = { readonly text: string; readonly channel: string };

/** What a message is answered with. */
export function answerTo({ text }: Said): string {
  const [, pieces = 0] = Object.entries(lengths).find(([word]) => text.includes(word)) ?? [];
  return `(${text}${".".repeat(pieces)})`;
}

/** People with places of theirs. */
export const TALKERS = [
  ["U0ANA", "C0SHOP"],
  ["U0BOB", "D0BOB"],
  ["U0ANA", "D0ANA"],
  ["U0BOB", "C0SHOP"],
  ["U0ANA", "G0QUIET"],
] as const;

/** Says one thing after the other, half of them in the thread of the one before, until it is told to stop. */
export async function talk(relay: KeptRelay, nth: number, signal: AbortSignal): Promise<Said[]> {
  const [user, channel] = TALKERS[nth % TALKERS.length] ?? TALKERS[0];
  const words = Object.keys(lengths);
  const said: Said[] = [];
  let thread: string | undefined;
  while (!signal.aborted) {
    const one = {
      text: `${nth}-${said.length} ${words[(nth + said.length) % words.length]}`,
      channel,
    };
    said.push(one);
    const ts = relay.slack
      .person(user)
      .say(channel, `${thread === undefined ? "<@U0BOT> " : ""}${one.text}`, {
        ...(thread !== undefined && { thread }),
      });
    thread = thread === undefined ? ts : undefined;
    const isThere = () => joined(seenIn(relay, channel)).includes(answerTo(one));
    await waitFor(`the answer to ${one.text}`, isThere, SOON_MS);
  }
  return said;
}

/** Each answer is there as a whole, once, and soon nothing looks as if something still ran. */
export async function expectEachOnce(relay: KeptRelay, said: readonly Said[]): Promise<void> {
  for (const [channel, here] of Map.groupBy(said, (one) => one.channel)) {
    await settled(relay, channel);
    const answers = joined(seenIn(relay, channel)).match(/\([^()]*\)/g) ?? [];
    expect(answers.toSorted()).toEqual(here.map(answerTo).toSorted());
  }
}

/** Fails when a sign, a live stream or a button is left. */
export async function settled(
  relay: KeptRelay,
  channel: string,
  withinMs = SOON_MS,
): Promise<void> {
  const isQuiet = () => !/…|\[Stop\]|:eyes:|:hourglass/.test(seenIn(relay, channel));
  await waitFor(`${channel} to settle`, isQuiet, withinMs);
}

/** What somebody sees who is there. */
export function seenIn({ slack }: KeptRelay, channel: string): string {
  const [user] = TALKERS.find(([, place]) => place === channel) ?? TALKERS[0];
  return slack.person(user).see(channel);
}

/** An answer may go on in another message. */
export function joined(seen: string): string {
  return seen.replace(/\n *agent: /g, "");
}
