import { expect, test, vi } from "vitest";
import { KeptRelay } from "./kept-relay.ts";

vi.setConfig({ testTimeout: 120_000 });

test("the options on Poe list the models of the agent from its first session on, also after a restart", async () => {
  await using relay = await KeptRelay.start({
    agent: {
      models: [
        { id: "anthropic/opus", name: "Opus" },
        { id: "openai/gpt", name: "GPT" },
      ],
    },
    prompt: [{ kind: "text", text: "I am {{model}}." }],
  });
  const options = async () => JSON.stringify((await relay.poe.settings()).json);
  const asked = async (parameters: Record<string, unknown>) => {
    const query = relay.poe.query({ text: "who?", parameters });
    expect((await query.done).how).toBe("done");
    return query.body();
  };
  expect(await options()).not.toContain("Opus");
  expect(await asked({})).toContain("I am anthropic/opus.");
  const known = await options();
  expect(known).toContain('"name":"Opus"');
  expect(known).toContain('"parameter_name":"provider"');
  // What a person picks there is what runs.
  expect(await asked({ provider: "openai" })).toContain("I am openai/gpt.");
  expect(await asked({ model: "made/up" })).toContain("I am anthropic/opus.");
  relay.kill("SIGTERM");
  await relay.ends();
  await relay.start();
  expect(await options()).toBe(known);
});
