import type { PublishedState } from "../../src/publish/publication.ts";
import { createQueue, startSlack } from "../rig.ts";

/** A thread in which something is published, and time that moves when it is told to. */
export async function startThread(channel: string, options: Parameters<typeof startSlack>[0] = {}) {
  const rig = await startSlack(options);
  const { queue, quiet } = createQueue(rig);
  const thread = rig.slack.person("U0ANA").say(channel, "<@U0BOT> go");
  const states: PublishedState[] = [];
  const pass = async (ms: number) => {
    await new Promise(setImmediate);
    await quiet();
    await new Promise(setImmediate);
    rig.clock.advance(ms);
  };
  /** Moves on until something has come. */
  const wait = async <T>(outcome: Promise<T>): Promise<T> => {
    let result: { readonly value: T } | undefined;
    void outcome.then((value) => {
      result = { value };
    });
    for (let step = 0; step < 4_000 && !result; step += 1) await pass(100);
    if (!result) throw new Error("Nothing came.");
    return result.value;
  };
  const move = async (ms: number, stepMs = 100) => {
    for (let passed = 0; passed < ms; passed += stepMs) await pass(stepMs);
  };
  const messages = () =>
    rig.slack.messages(channel).filter((each) => each.threadTs === thread && each.isFromApp);
  /** The text of the app's messages in the thread. */
  const bodies = () =>
    messages().map(({ blocks, text, stream }) => {
      const streamed = stream?.parts.map((part) => (part.kind === "text" ? part.text : ""));
      if (streamed) return streamed.join("");
      const markdown = blocks.find(({ type }) => type === "markdown");
      return blocks.length === 0 ? text : String(markdown?.["text"] ?? "");
    });
  const onState = (state: PublishedState) => void states.push(JSON.parse(JSON.stringify(state)));
  const methods = () =>
    rig.slack.calls.map(({ method }) => method).filter((method) => method.startsWith("chat."));
  const { botId } = rig.slack.app;
  const shared = { queue, clock: rig.clock, botId, channel, thread, marker: "turn-1", onState };
  return { ...rig, queue, thread, states, shared, wait, move, messages, bodies, methods };
}
