import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import { waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const CHANNEL = "D0ANA";
const content = "a,b\n1,2\n";
const table = { name: "table.csv", bytes: Buffer.from(content) };
const COMPLETE = "files.completeUploadExternal";

test("the file of a message is fetched by the next process when the first was killed on the way, with a token that is nowhere kept", async () => {
  const agent: Script = { prompt: [{ kind: "text", text: "Got it." }] };
  await using relay = await KeptRelay.start({ agent });
  const ana = relay.slack.person("U0ANA");
  relay.slack.fail("download", { kind: "hang" }, 100);
  ana.say(CHANNEL, "look", { files: [table] });
  await relay.slack.settled();
  await relay.crash();
  expect(relay.prompts).toEqual([]);
  relay.slack.heal();
  await relay.start();
  await relay.shows("U0ANA", CHANNEL, /Got it\./);
  const record = readFileSync(relay.record, "utf8");
  const [uri = ""] = /file:[^"]*table\.csv/.exec(record) ?? [];
  expect(readFileSync(fileURLToPath(uri), "utf8")).toBe(content);
  expect(record).not.toContain(relay.slack.app.botToken);
  expect(relay.stderr).not.toContain(relay.slack.app.botToken);
});

test("a file of the agent is there once when its process was killed while Slack took it", async () => {
  const blob = table.bytes.toString("base64");
  const resource = { uri: "file:///tmp/table.csv", mimeType: "text/csv", blob };
  const agent: Script = {
    prompt: [
      { kind: "text", text: "Here:\n\n" },
      {
        kind: "update",
        update: { sessionUpdate: "agent_message_chunk", content: { type: "resource", resource } },
      },
      { kind: "wait", ms: 500 },
      { kind: "text", text: "That was it." },
    ],
  };
  await using relay = await KeptRelay.start({ agent, slack: { fileShareMs: 3_000 } });
  const { slack } = relay;
  slack.person("U0ANA").say(CHANNEL, "send it");
  const completions = () => slack.calls.filter(({ method }) => method === COMPLETE).length;
  await waitFor("the completion", () => completions() === 1, SOON_MS);
  await relay.crash();
  await relay.start();
  const shared = () => slack.messages(CHANNEL).flatMap(({ files }) => files);
  await waitFor("the file", () => shared().length > 0, SOON_MS);
  const closed = () =>
    slack.messages(CHANNEL).every(({ stream }) => stream?.state !== "in_progress");
  await waitFor("the end of the turn", closed, SOON_MS);
  expect(completions()).toBe(1);
  expect(shared().map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    ["table.csv", content],
  ]);
});
