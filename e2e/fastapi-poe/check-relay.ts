import { strict as assert } from "node:assert";
import { RelayProcess } from "../../apps/poe-relay/test/relay-process.ts";
import { readRecord, waitFor } from "../../packages/testkit/src/index.ts";
import { PythonClient } from "./python.ts";
import { askPython, bodyOf } from "./seen.ts";

/** Longer than a relay process and its agent take to start here. */
const SLOW_MS = 10_000;

/** Poe's client against poe-relay with a scripted agent. */
export async function checkRelay(python: string, say: (line: string) => void): Promise<void> {
  await using relay = await RelayProcess.start({
    agent: {
      prompt: [
        {
          kind: "when",
          says: "wait",
          steps: [{ kind: "text", text: "waiting" }, { kind: "wait" }],
          otherwise: [
            { kind: "text", text: "Hé😀: " },
            { kind: "wait", ms: 300 },
            { kind: "text", text: "{{prompt}}" },
          ],
        },
      ],
    },
  });
  // Behind the relay, which looks for processes that it left when it ends.
  await using client = new PythonClient(python);
  const [, url = ""] = /^(?:Address +| +)(http:\S+)/m.exec(relay.stdout) ?? [];
  const [, key = ""] = /Bearer (\w{32})/.exec(relay.stdout) ?? [];
  const { origin, pathname } = new URL(url);
  const target = { base: origin, bot: pathname, key };
  const promptsOf = (text: string) =>
    readRecord(relay.record).filter((entry) => JSON.stringify(entry).includes(`"text":"${text}"`));

  const answer = await askPython(client, target, "hello", { ids: ids("c-1", "m-a") });
  assert.deepEqual([answer.errors, answer.raised], [[], null]);
  assert.match(bodyOf(answer), /^Hé😀: hello/);
  const nameless = await askPython(client, target, "nameless");
  assert.deepEqual([nameless.errors, nameless.raised], [[], null]);
  assert.match(bodyOf(nameless), /^Hé😀: nameless/);
  say("the relay's answer is read without a report, with ids and without");

  const prompts = promptsOf("hello").length;
  const again = await askPython(client, target, "hello", { ids: ids("c-1", "m-a") });
  assert.deepEqual([again.errors, again.raised], [[], null]);
  assert.match(bodyOf(again), /^Hé😀: hello/);
  assert.equal(promptsOf("hello").length, prompts);
  say("the same request again is the same turn");

  const reported = await askPython(client, target, "report", {
    ids: ids("c-2", "m-b"),
    report_after: 2,
  });
  assert.deepEqual([reported.errors, reported.raised, reported.reports], [[], null, 4]);
  assert.match(bodyOf(reported), /^Hé😀: report/);
  say("reports are answered while the relay streams");

  await askPython(client, target, "wait", { ids: ids("c-3", "m-c"), stop_after: 4 });
  const isCancelled = () =>
    readRecord(relay.record).some((entry) => JSON.stringify(entry).includes("session/cancel"));
  await waitFor("the agent's cancel", isCancelled, SLOW_MS);
  say("Stop cancels the agent");

  const settings = await client.ask<object>({ do: "settings", ...target });
  assert.equal((settings as { response_version?: number }).response_version, 2);
  say("its model takes the relay's settings");
}

function ids(conversation: string, request: string) {
  return { conversation, request, user: "u-1" };
}
