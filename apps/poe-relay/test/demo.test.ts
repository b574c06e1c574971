import type { PoeQuery } from "@acp-kit/testkit";
import { expect, test, vi } from "vitest";
import { RelayProcess } from "./relay-process.ts";

// Processes of several kinds start in each test.
vi.setConfig({ testTimeout: 60_000 });

/** Five seconds: long enough for the plan, which is shown every three. */
const QUICK = { flags: ["--speed", "4"] };

/** Everything that stood on the screen at some time: whole bodies, and what was appended. */
function shown(query: PoeQuery): string {
  const texts = query.frames.map((frame) =>
    "event" in frame && (frame.event === "text" || frame.event === "replace_response")
      ? frame.data.text
      : "",
  );
  return texts.join("\n");
}

test("the demo thinks, shows a plan, runs its tools and answers with a table and code", async () => {
  await using relay = await RelayProcess.start(QUICK);
  const query = relay.poe.query({ text: "Show me what you can do" });
  expect((await query.done).how).toBe("done");
  expect(query.violations).toEqual([]);
  expect(shown(query)).toMatch(/^> ⏳ /m);
  const body = query.body();
  expect(body).toMatch(/^> _Thinking…_\n> \w/m);
  expect(body).toMatch(/^> `📖 Read README\.md`$/m);
  expect(body).toMatch(/^> `✏️ Edit greeting\.ts`$/m);
  expect(body).toMatch(/^\|---\|---\|$/m);
  expect(body).toMatch(/^```sh$/m);
  expect(body).toMatch(/_swift • content • 3\/3 .*_$/);
});

test("asked to ask, it ends with numbered options, and 1 goes on with the same turn", async () => {
  await using relay = await RelayProcess.start(QUICK);
  const first = relay.poe.query({ text: "ask" });
  expect((await first.done).how).toBe("done");
  expect(first.body()).toMatch(/`1` once .* `3` no/);
  expect(first.body()).not.toContain("Done: `greeting.ts`");

  const { conversation } = first.ids;
  const second = relay.poe.query({ conversation, text: "1" });
  expect((await second.done).how).toBe("done");
  expect(second.body()).toContain("allowed once by you");
  expect(second.body()).toContain("Done: `greeting.ts`");
  expect(second.body()).toMatch(/^```sh$/m);
  expect([...first.violations, ...second.violations]).toEqual([]);
});
