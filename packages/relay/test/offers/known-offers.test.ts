import { describe, expect, test } from "vitest";
import { KnownOffers } from "../../src/offers/known-offers.ts";
import type { SurfaceNotes } from "../../src/surface-notes.ts";

const option = (current: string, ...values: readonly string[]) => ({
  configOptions: [
    {
      id: "m",
      category: "model",
      currentValue: current,
      options: values.map((value) => ({ value, name: value.toUpperCase() })),
    },
  ],
});

function notesIn(values: Map<string, string>): SurfaceNotes {
  return { read: (name) => values.get(name), write: (name, value) => void values.set(name, value) };
}

describe("what an agent offers", () => {
  test("is unknown until a session says it, and is remembered by the next process", () => {
    const kept = new Map<string, string>();
    const offers = new KnownOffers(notesIn(kept), () => 0);
    expect(offers.of("a")).toBeUndefined();
    offers.hear("a", option("x", "x", "y"), true);
    const offer = {
      models: [
        { id: "x", name: "X" },
        { id: "y", name: "Y" },
      ],
      modes: [],
      currentModel: "x",
      settings: [],
    };
    expect(offers.of("a")).toEqual(offer);
    expect(offers.of("b")).toBeUndefined();
    expect(new KnownOffers(notesIn(kept), () => 0).of("a")).toEqual(offer);
  });

  test("is told when it changes, and only then", () => {
    const offers = new KnownOffers(notesIn(new Map()), () => 0);
    const told: string[] = [];
    const watch = offers.onChange((agent) => told.push(agent));
    offers.hear("a", option("x", "x", "y"), true);
    offers.hear("a", option("x", "x", "y"), true);
    offers.hear("a", {}, true);
    expect(told).toEqual(["a"]);
    offers.hear("a", option("x", "x", "z"), false);
    expect(told).toEqual(["a", "a"]);
    watch[Symbol.dispose]();
    offers.hear("a", option("x", "x"), false);
    expect(told).toEqual(["a", "a"]);
  });

  test("is not what a conversation has chosen: the model in use is that of a new session", () => {
    const offers = new KnownOffers(notesIn(new Map()), () => 0);
    offers.hear("a", option("x", "x", "y"), true);
    offers.hear("a", option("y", "x", "y"), false);
    expect(offers.of("a")?.currentModel).toBe("x");
  });

  test("has the modes and other settings of a new session, whatever a conversation makes of them", () => {
    const offers = new KnownOffers(notesIn(new Map()), () => 0);
    const web = { id: "web", name: "Web search", type: "boolean", currentValue: true };
    const modes = (currentModeId: string) => ({
      currentModeId,
      availableModes: [{ id: "ask", name: "Ask" }, { id: "code" }],
    });
    offers.hear("a", { configOptions: [web], modes: modes("ask") }, true);
    const offer = {
      models: [],
      modes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "code" },
      ],
      currentModel: "",
      currentMode: "ask",
      settings: [{ id: "web", name: "Web search", values: [], current: true }],
    };
    expect(offers.of("a")).toEqual(offer);
    offers.hear(
      "a",
      { configOptions: [{ ...web, currentValue: false }], modes: modes("code") },
      false,
    );
    expect(offers.of("a")).toEqual(offer);
  });

  test("does not take turns where people's sessions differ: what was replaced comes back after an hour", () => {
    let now = 0;
    const offers = new KnownOffers(notesIn(new Map()), () => now);
    const told: string[] = [];
    using _ = offers.onChange((agent) => told.push(agent));
    for (let round = 0; round < 5; round += 1) {
      offers.hear("a", option("x", "x", "y"), true);
      offers.hear("a", option("x", "x", "z"), true);
      offers.hear("b", option("x", "x", "y"), true);
      now += 60_000;
    }
    expect(told).toEqual(["a", "a", "b"]);
    expect(offers.of("a")?.models.map(({ id }) => id)).toEqual(["x", "z"]);
    now += 3_600_000;
    offers.hear("a", option("x", "x", "y"), true);
    expect(offers.of("a")?.models.map(({ id }) => id)).toEqual(["x", "y"]);
  });

  test("is unknown again where it cannot be read", () => {
    const kept = new Map([["offer a", "{"]]);
    expect(new KnownOffers(notesIn(kept), () => 0).of("a")).toBeUndefined();
  });
});
