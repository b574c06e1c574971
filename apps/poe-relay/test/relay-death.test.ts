import { scripts, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const COUNT = 400;
const whole = Array.from({ length: COUNT }, (_, at) => scripts.chunkText(at + 1, 6)).join("");

const deaths: Record<string, (relay: KeptRelay) => Promise<void>> = {
  "all processes of the relay": async (relay) => {
    expect(await relay.crash()).toBe("SIGKILL");
    await relay.start();
  },
  "the process that holds the socket": async (relay) => {
    relay.kill("SIGKILL");
    expect(await relay.ends()).toBe("SIGKILL");
    await relay.start();
  },
  "the process that serves": async (relay) => {
    const [serving = 0] = relay.generations;
    process.kill(serving, "SIGKILL");
    await waitFor(
      "another one",
      () => relay.stderr.split("a generation serves").length > 2,
      SOON_MS,
    );
  },
};

test.each(Object.keys(deaths))(
  "after kill -9 of %s in the middle of an answer, the same query shows what was said, and that it was interrupted",
  async (what) => {
    await using relay = await KeptRelay.start(scripts.chunks(COUNT, 6, 20));
    const first = relay.poe.query({ text: "hello" });
    await first.waitFor((one) => one.body().includes("20...."), SOON_MS);
    await deaths[what]?.(relay);
    expect((await first.done).how).toBe("cut");

    const again = relay.poe.query({ text: "hello", ...first.ids });
    expect((await again.done).how).toBe("done");
    expect(again.violations).toEqual([]);
    const [text = "", notice, ...rest] = again.body().split("\n\n");
    expect(whole.startsWith(text)).toBe(true);
    expect(text.length).toBeLessThan(whole.length);
    const seen = first.body().split("\n\n")[0] ?? "";
    expect(seen.length).toBeGreaterThan(100);
    expect(text.startsWith(seen)).toBe(true);
    expect(notice).toMatch(/interrupted/i);
    expect(rest).toEqual([]);
    expect(relay.prompts).toEqual(["hello"]);
  },
  4 * SOON_MS,
);
