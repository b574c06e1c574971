import { describe, expect, test } from "vitest";
import { startEmulate, startFake } from "./platform.ts";
import { lacking, scenario } from "./scenario.ts";

describe("on the fake as on an emulator that others wrote", () => {
  test.each(Object.entries(scenario))("%s", async (_what, step) => {
    const [fake, emulator] = [await startFake(), await startEmulate()];
    const ours = await step(fake);
    expect(ours).toEqual(await step(emulator));
    expect(ours).toBeDefined();
  });
});

describe("the emulator does not have, and so it cannot confirm", () => {
  test.each(Object.entries(lacking))("%s", async (_what, { ask, ours, emulators }) => {
    expect(await ask(await startFake())).toEqual(ours);
    expect(await ask(await startEmulate())).toEqual(emulators);
  });
});
