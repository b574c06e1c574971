import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentProcess } from "@acp-kit/acp-wire";
import { expect, test } from "vitest";
import { Listener, NODE, Rig, text } from "./rig.ts";

test("the example in the README serves a daemon", async () => {
  await using rig = await Rig.start();
  const example = fileURLToPath(new URL("../examples/serve.ts", import.meta.url));
  await using agent = await AgentProcess.start({
    command: [...NODE, example, rig.daemon.socketPath, path.join(rig.root, "state")],
    hostEnv: process.env,
    clientInfo: { name: "test", version: "0" },
  });
  const listener = new Listener();
  const { sessionId } = await agent.newSession(rig.cwd, listener);
  await agent.prompt(sessionId, text("hi"));
  expect(listener.said()).toBe("You said: hi. Done.");
});
