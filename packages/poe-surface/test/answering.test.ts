import { expect, test } from "vitest";
import { finished, Rig } from "./rig.ts";

test("a message is answered: meta, a first frame, text, done", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  expect(prompt.text).toBe("hi");
  prompt.say("Hello");
  await query.waitFor((one) => one.body() === "Hello");
  prompt.say(" world");
  prompt.end();
  expect(await finished(query)).toBe("Hello world");
  const events = query.frames.flatMap((frame) => ("event" in frame ? [frame.event] : []));
  expect(events[0]).toBe("meta");
  expect(events[1]).toBe("replace_response");
  expect(events.at(-1)).toBe("done");
});
