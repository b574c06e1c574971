import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import { TestProxy, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const CHANNEL = "D0ANA";
const content = "a,b\n1,2\n";
const blob = Buffer.from(content).toString("base64");
const resource = { uri: "file:///tmp/sent.csv", mimeType: "text/csv", blob };
const agent: Script = {
  prompt: [
    {
      kind: "update",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "resource", resource } },
    },
  ],
};

/** Takes notices. */
async function startHook() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close().closeAllConnections());
  return { bodies, port: (server.address() as AddressInfo).port };
}

test("a relay whose only way out is a proxy hears, answers, takes and sends files, checks its tokens and posts notices", {
  timeout: 3 * SOON_MS,
}, async () => {
  const hook = await startHook();
  const asked: Record<string, readonly string[]> = {};
  await using relay = await KeptRelay.start({
    agent,
    slack: { host: "slack.example" },
    config: { notices: { webhook: "https://hooks.example/x" } },
    async throughProxy(slack) {
      const ports = { "slack.example": slack.port, "hooks.example": hook.port };
      const proxy = await TestProxy.start(ports, "relay:planted-password");
      asked["proxy"] = proxy.asked;
      return proxy;
    },
  });
  const { slack } = relay;
  const taken = { name: "taken.csv", bytes: Buffer.from(content) };
  slack.person("U0ANA").say(CHANNEL, "look", { files: [taken] });
  const sent = () => slack.messages(CHANNEL).flatMap((each) => (each.isFromApp ? each.files : []));
  await waitFor("the agent's file", () => sent().length > 0, SOON_MS);
  expect(sent()).toMatchObject([{ name: "sent.csv", bytes: Buffer.from(content) }]);
  const [uri = ""] = /file:[^"]*taken\.csv/.exec(readFileSync(relay.record, "utf8")) ?? [];
  expect(readFileSync(fileURLToPath(uri), "utf8")).toBe(content);
  expect(await relay.run("check")).toMatchObject({ code: 0, stderr: "" });
  slack.fail("apps.connections.open", { kind: "error", error: "invalid_auth" }, 10);
  slack.socketMode.cut();
  await waitFor("the notice", () => hook.bodies.length > 0, SOON_MS);
  expect(hook.bodies.join("")).toContain("Slack does not take the app token");
  expect(new Set(asked["proxy"])).toEqual(new Set(["slack.example:443", "hooks.example:443"]));
  expect(relay.stdout + relay.stderr).not.toContain("planted-password");
  relay.kill("SIGTERM");
  expect(await relay.ends()).toBe(0);
});
