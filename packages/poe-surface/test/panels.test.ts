import type { AgentOffer, AgentOffers, PoeBot, SurfaceBot } from "@acp-kit/relay";
import { DEFAULT_OPTIONS } from "@acp-kit/router";
import { FakePoe } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { finished, KEY, Rig } from "./rig.ts";

const two: AgentOffer = {
  models: [
    { id: "a/large", name: "Large" },
    { id: "b/small", name: "Small" },
  ],
  modes: [],
  currentModel: "a/large",
};

/** Offers that a test changes. */
class Offers implements AgentOffers {
  #offer: AgentOffer | undefined;
  readonly #listeners = new Set<(agent: string) => void>();

  constructor(offer?: AgentOffer) {
    this.#offer = offer;
  }

  of() {
    return this.#offer;
  }

  onChange(listener: (agent: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  set(offer: AgentOffer): void {
    this.#offer = offer;
    for (const listener of this.#listeners) listener("demo");
  }
}

const bot = (settings: Partial<PoeBot>, more: Partial<SurfaceBot<PoeBot>> = {}) => ({
  name: "shop",
  settings: { surface: "poe" as const, path: "/poe", accessKeys: [KEY], defaults: {}, ...settings },
  agent: "demo",
  workspace: "shop",
  defaults: DEFAULT_OPTIONS,
  ...more,
});

describe("the options of a bot", () => {
  test("are the models that its agent offers by now, the pinned ones first", async () => {
    await using rig = await Rig.open();
    const offers = new Offers();
    const bots = [bot({ pinnedModels: ["b/small"] })];
    await using door = await rig.surfaceWith({}, { offers, bots });
    const before = JSON.stringify((await door.poe.settings()).json);
    expect(before).toContain("show_plans");
    expect(before).not.toContain("a/large");
    offers.set(two);
    const after = JSON.stringify((await door.poe.settings()).json);
    expect(after).toMatch(/b\/small.*a\/large/);
  });

  test("hold no model that no rule lists", async () => {
    await using rig = await Rig.open();
    const bots = [bot({}, { models: ["b/small"] })];
    await using door = await rig.surfaceWith({}, { offers: new Offers(two), bots });
    const { json } = await door.poe.settings();
    expect(JSON.stringify(json)).toContain("b/small");
    expect(JSON.stringify(json)).not.toContain("a/large");
  });

  test("D33: what a message leaves alone is as the options show it, and what it chooses is listed", async () => {
    await using rig = await Rig.open();
    const bots = [bot({})];
    await using door = await rig.surfaceWith({}, { offers: new Offers(two), bots });
    const asked = async (parameters: Record<string, unknown>, turn: number) => {
      const query = door.ask("go", { parameters });
      const prompt = await rig.agent.prompted(turn);
      prompt.think("hm");
      prompt.say("done");
      prompt.end();
      return finished(query);
    };
    expect(await asked({}, 1)).toBe("done");
    expect(await asked({ hide_thinking: false }, 2)).toBe("<hm>done");
    expect(await asked({ model: "a/huge" }, 3)).toBe("done");
    expect(rig.agent.chosen).not.toContain("a/huge");
  });
});

describe("Poe is told of new settings", () => {
  async function opened(offers: Offers, handle = "ShopBot") {
    const rig = await Rig.open();
    const plain = await rig.surfaceWith({}, { offers, bots: [bot({ handle })] });
    const poe = await FakePoe.start({ accessKey: KEY, bot: handle, botUrl: plain.url });
    const door = await rig.surfaceWith(
      {},
      { offers, bots: [bot({ handle })] },
      { apiUrl: poe.apiUrl },
    );
    return {
      ...{ rig, poe, door },
      async [Symbol.asyncDispose]() {
        for (const one of [door, plain, poe, rig]) await one[Symbol.asyncDispose]();
      },
    };
  }

  test("once, and again only when they are others", async () => {
    const offers = new Offers(two);
    await using stage = await opened(offers);
    const { rig, poe, door } = stage;
    await door.surface.resume?.();
    await rig.logged("Poe has fetched the bot's settings");
    expect(poe.settings).toHaveLength(1);
    offers.set({ ...two });
    offers.set({ ...two, models: two.models.slice(1), currentModel: "" });
    await rig.logged("Poe has fetched the bot's settings", 2);
    expect(poe.settings).toHaveLength(2);
    expect(JSON.stringify(poe.settings[1])).not.toContain("a/large");
  });

  test("not again by the next process, which knows what Poe has kept", async () => {
    const offers = new Offers(two);
    await using stage = await opened(offers);
    const { rig, poe, door } = stage;
    await door.surface.resume?.();
    await rig.logged("Poe has fetched the bot's settings");
    await using next = await rig.surfaceWith(
      {},
      { offers, bots: [bot({ handle: "ShopBot" })] },
      { apiUrl: poe.apiUrl },
    );
    await next.surface.resume?.();
    await next.surface.drain(AbortSignal.abort());
    expect(poe.settings).toHaveLength(1);
  });

  test("and told again after it has dropped them, which is a warning without the key", async () => {
    const offers = new Offers(two);
    await using stage = await opened(offers);
    const { rig, poe, door } = stage;
    poe.fail({ kind: "answer", status: 200, body: "{'parameter_controls': None}" });
    await door.surface.resume?.();
    await rig.logged("Poe shows none of the bot's options");
    offers.set({ ...two });
    await rig.logged("Poe has fetched the bot's settings");
    expect(rig.lines.join("\n")).not.toContain(KEY);
  });

  test("in vain, which costs nothing but a warning without the key", async () => {
    const offers = new Offers(two);
    await using stage = await opened(offers);
    const { rig, poe, door } = stage;
    poe.fail({ kind: "answer", status: 500, body: `no ${KEY}` });
    await door.surface.resume?.();
    await rig.logged("Poe could not be told of the bot's settings");
    expect(rig.lines.join("\n")).not.toContain(KEY);
  });

  test("not before the agent has said what it offers", async () => {
    const offers = new Offers();
    await using stage = await opened(offers);
    const { rig, poe, door } = stage;
    await door.surface.resume?.();
    expect(poe.settings).toEqual([]);
    offers.set(two);
    await rig.logged("Poe has fetched the bot's settings");
    expect(JSON.stringify(poe.settings[0])).toContain("a/large");
  });
});
