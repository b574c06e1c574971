import type { Script } from "@acp-kit/demo-agent";
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

test("the options on Poe list the modes that the rules open, and a person's choice of one runs", async () => {
  const modes = ["ask", "code", "free"].map((id) => ({ id, name: id.toUpperCase() }));
  const script: Script = {
    agent: {
      modes,
      configOptions: [{ id: "web", name: "Web search", type: "boolean", currentValue: true }],
    },
    prompt: [{ kind: "text", text: "I am in {{mode}}." }],
  };
  await using relay = await KeptRelay.start(script, {
    access: [{ users: ["*"], role: "user", modes: ["ask", "code"] }],
  });
  const asked = async (parameters: Record<string, unknown>) => {
    const query = relay.poe.query({ text: "where?", parameters });
    expect((await query.done).how).toBe("done");
    return query.body();
  };
  expect(await asked({})).toContain("I am in ask.");
  const options = JSON.stringify((await relay.poe.settings()).json);
  expect(options).toContain('"parameter_name":"mode"');
  expect(options).toContain('"name":"CODE"');
  expect(options).not.toContain("FREE");
  // Only an operator may choose it, and there is none.
  expect(options).not.toContain("Web search");
  expect(await asked({ mode: "code" })).toContain("I am in code.");
  expect(await asked({ mode: "free", setting_web: false })).toContain("I am in ask.");
});
