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
    const offers = new KnownOffers(notesIn(kept));
    expect(offers.of("a")).toBeUndefined();
    offers.hear("a", option("x", "x", "y"), true);
    const offer = {
      models: [
        { id: "x", name: "X" },
        { id: "y", name: "Y" },
      ],
      modes: [],
      currentModel: "x",
    };
    expect(offers.of("a")).toEqual(offer);
    expect(offers.of("b")).toBeUndefined();
    expect(new KnownOffers(notesIn(kept)).of("a")).toEqual(offer);
  });

  test("is told when it changes, and only then", () => {
    const offers = new KnownOffers(notesIn(new Map()));
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
    const offers = new KnownOffers(notesIn(new Map()));
    offers.hear("a", option("x", "x", "y"), true);
    offers.hear("a", option("y", "x", "y"), false);
    expect(offers.of("a")?.currentModel).toBe("x");
  });

  test("is unknown again where it cannot be read", () => {
    const kept = new Map([["offer a", "{"]]);
    expect(new KnownOffers(notesIn(kept)).of("a")).toBeUndefined();
  });
});
