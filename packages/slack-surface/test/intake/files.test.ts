import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Router } from "@acp-kit/router";
import { expect, test } from "vitest";
import { ended, eventsOf, IntakeRig, keyOf, until, WAITING } from "./intake-rig.ts";

const table = { name: "table.csv", bytes: Buffer.from("a,b\n1,2\n") };
const place = "D0ANA";

/** What the agent was sent beside texts in its last prompt. */
function linksOf(rig: IntakeRig): readonly string[] {
  const lines = readFileSync(path.join(rig.directory, "record.jsonl"), "utf8").split("\n");
  const prompt = lines.findLast((line) => line.includes('"session/prompt"')) ?? "{}";
  const { params } = JSON.parse(prompt) as { params?: { prompt: { uri?: string }[] } };
  return (params?.prompt ?? []).flatMap(({ uri }) => (uri === undefined ? [] : [uri]));
}

/** The agent has begun to answer so many messages. */
async function isWorking(router: Router, conversation: string, count: number): Promise<boolean> {
  const events = await eventsOf(router, conversation);
  return events.filter(({ kind }) => kind === "text").length === count;
}

test("a file that comes with a message reaches the agent, also without a word", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const ts = rig.ana.say(place, "", { files: [table] });
  await rig.slack.settled();
  await ended(router, keyOf(place, ts));
  const [uri = ""] = linksOf(rig);
  expect(readFileSync(fileURLToPath(uri))).toEqual(table.bytes);
});

test("of what was shared in a thread before, the person's own files come along, and of others the names", async () => {
  const rig = await IntakeRig.start();
  const { router } = await rig.open();
  const notes = { name: "notes.txt", bytes: Buffer.from("of bob's") };
  const thread = rig.bob.say("C0SHOP", "look at this", { files: [notes] });
  rig.ana.say("C0SHOP", "", { thread, files: [table] });
  rig.ana.say("C0SHOP", "<@U0BOT> compare them", { thread });
  await rig.slack.settled();
  await ended(router, keyOf("C0SHOP", thread));
  expect(linksOf(rig)).toEqual([expect.stringMatching(/^file:.*table\.csv$/)]);
  const [prompt = ""] = rig.prompts;
  expect(prompt).toMatch(/look at this\n\[attached: notes\.txt\]\n/);
  expect(prompt).toContain("[attached: table.csv]");
});

test("a photo that no model takes is shown as Slack's own version of it", async () => {
  const script = {
    agent: { capabilities: { promptCapabilities: { image: true } } },
    prompt: [{ kind: "text", text: "Nice." }],
  };
  const rig = await IntakeRig.start({ script });
  const { router } = await rig.open();
  const bytes = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]);
  const photo = { name: "photo.heic", bytes, rendition: { bytes: jpeg, mimetype: "image/jpeg" } };
  const ts = rig.ana.say(place, "what is it?", { files: [photo] });
  await rig.slack.settled();
  await ended(router, keyOf(place, ts));
  expect(linksOf(rig)).toEqual([
    expect.stringMatching(/^file:.*photo\.heic$/),
    expect.stringMatching(/^file:.*photo\.heic\.jpg$/),
  ]);
  const record = readFileSync(path.join(rig.directory, "record.jsonl"), "utf8");
  expect(record).toContain(JSON.stringify(jpeg.toString("base64")));
  const events = await eventsOf(router, keyOf(place, ts));
  expect(events.filter(({ kind }) => kind === "notice")).toEqual([]);
});

test("a file that could not be had is told to the person and to the agent", async () => {
  const rig = await IntakeRig.start({ slack: { app: { scopes: ["im:history", "users:read"] } } });
  const { router } = await rig.open();
  const ts = rig.ana.say(place, "look", { files: [table] });
  await rig.slack.settled();
  await ended(router, keyOf(place, ts));
  const why = "this app lacks the scope files:read";
  expect(await eventsOf(router, keyOf(place, ts))).toContainEqual(
    expect.objectContaining({
      kind: "notice",
      text: `Not shown to the model: table.csv (${why}).`,
    }),
  );
  expect(rig.prompts.at(-1)).toContain(`could not be had: "table.csv" (${why})`);
});

test("C23: the file of a message that waits is fetched by the next process, and nothing that is kept holds the token", async () => {
  const rig = await IntakeRig.start({ script: WAITING });
  const before = await rig.open();
  const first = rig.ana.say(place, "first");
  const conversation = keyOf(place, first);
  await until(() => isWorking(before.router, conversation, 1));
  rig.slack.fail("download", { kind: "hang" });
  rig.ana.say(place, "look", { thread: first, files: [table] });
  await rig.slack.settled();
  const retired = before.router.retire();
  const { turn = "" } = before.router.running(conversation) ?? {};
  await before.router.cancelTurn(conversation, turn, "user");
  await retired;
  await before.end();
  rig.slack.heal();
  const { router } = await rig.open();
  await router.recover();
  await until(() => isWorking(router, conversation, 2));
  expect(rig.prompts.at(-1)).toContain("look");
  expect(linksOf(rig)).toEqual([expect.stringMatching(/^file:.*table\.csv$/)]);
  const kept = globSync("**/*", { cwd: rig.directory, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  expect(kept.length).toBeGreaterThan(3);
  for (const file of kept) {
    const content = readFileSync(path.join(file.parentPath, file.name), "latin1");
    expect(content, file.name).not.toContain(rig.slack.app.botToken);
  }
});
