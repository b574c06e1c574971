import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { finished, Rig } from "./rig.ts";
import { ScriptedAgent } from "./scripted-agent.ts";

const say = (text: string) => ({ kind: "text", text });

test("an agent that is killed within its answer: readable text and done, and the next message works", async () => {
  const killed = [say("I was "), { kind: "exit", signal: "SIGKILL" }];
  await using agent = new ScriptedAgent({
    prompt: [{ kind: "when", says: "die", steps: killed, otherwise: [say("here {{prompt}}")] }],
  });
  await using rig = await Rig.open({ agent });
  expect(await rig.answer("die")).toBe("I was (agent-exited)");
  expect(await rig.answer("again")).toBe("here again");
});

test("Stop reaches the agent's process, and the next message is answered", async () => {
  await using agent = new ScriptedAgent({
    prompt: [
      {
        kind: "when",
        says: "work",
        steps: [say("working"), { kind: "wait" }],
        otherwise: [say("ok")],
      },
    ],
    cancel: [],
  });
  await using rig = await Rig.open({ agent, limits: { graceAfterOutputMs: 60_000 } });
  const query = rig.ask("work");
  await query.waitFor((one) => one.body() === "working", 20_000);
  await rig.lose(query);
  expect(await rig.answer("next")).toBe("ok");
});

test("a correction that comes a second after Stop reaches the agent within a second of its cancel", async () => {
  const steps = [say("working"), { kind: "wait" }];
  await using agent = new ScriptedAgent({
    prompt: [{ kind: "when", says: "work", steps, otherwise: [say("heard {{prompt}}")] }],
    cancel: [],
  });
  await using rig = await Rig.open({ agent });
  const query = rig.ask("work");
  await query.waitFor((one) => one.body() === "working", 20_000);
  await rig.lose(query);
  await setTimeout(1_000);
  expect(await rig.answer("no, that")).toBe("heard no, that");
  const [cancelledAt = Number.NaN, ...cancels] = agent.received("session/cancel");
  const [, correctedAt = Number.NaN] = agent.received("session/prompt");
  expect(cancels).toEqual([]);
  expect(correctedAt - cancelledAt).toBeLessThan(1_000);
  expect(correctedAt).toBeGreaterThanOrEqual(cancelledAt);
});

test("a redrive while a process answers: one prompt, and the whole text", async () => {
  await using agent = new ScriptedAgent({
    prompt: [
      { kind: "text", text: "{{turn}} 0123456789".repeat(10), pace: { size: 5, everyMs: 20 } },
    ],
  });
  await using rig = await Rig.open({ agent });
  const first = rig.ask("hi", { messageId: "m1" });
  await first.waitFor((one) => one.body().startsWith("1 0123"), 20_000);
  const again = rig.ask("hi", { messageId: "m1" });
  expect(await finished(again)).toBe("1 0123456789".repeat(10));
  expect((await first.done).how).toBe("cut");
});
