import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { FakePoe, type PoeQuery } from "@acp-kit/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ResponseLimits } from "../src/index.ts";
import { finished, KEY, Rig } from "./rig.ts";

let poe: FakePoe;
let rig: Rig;

beforeEach(async () => {
  poe = await FakePoe.start({ accessKey: KEY, bot: "shop" });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await poe[Symbol.asyncDispose]();
});

/** A rig whose agents send files by a line of text. */
async function open(limits: Partial<ResponseLimits> = {}): Promise<Rig> {
  rig = await Rig.open({
    limits,
    uploadUrl: poe.uploadUrl,
    router: { sending: () => ({ directive: "attach", maxFiles: 30 }) },
  });
  return rig;
}

/** Asks, and gives the agent these files in its directory. */
async function ask(names: readonly string[], id = "m1") {
  const query = rig.ask("go", { messageId: id });
  const prompt = await rig.agent.prompted(rig.agent.prompts.length + 1);
  const debug = await rig.router.debug();
  const cwd = debug.find(({ conv_id }) => conv_id === rig.key)?.cwd ?? "";
  mkdirSync(cwd, { recursive: true });
  for (const name of names) writeFileSync(path.join(cwd, name), `content of ${name}`);
  const send = (name: string) => prompt.say(`<!-- attach path="${name}" -->\n`);
  return { query, prompt, send };
}

/** What was shown, spinners left out: texts as they are, files as `[name]`. */
function shown(query: PoeQuery): string[] {
  return query.frames.flatMap((frame) => {
    if (!("event" in frame)) return [];
    if (frame.event === "file") return [`[${frame.data.name}]`];
    if (frame.event !== "text" && frame.event !== "replace_response") return [];
    return frame.data.text === "" || frame.data.text.includes("~") ? [] : [frame.data.text];
  });
}

const filesIn = (query: PoeQuery) =>
  query.frames.flatMap((frame) => ("event" in frame && frame.event === "file" ? [frame.data] : []));

test("files are uploaded with the bot's key and shown in their places, several in a turn", async () => {
  await open();
  const { query, prompt, send } = await ask(["a.txt", "b.txt"]);
  prompt.say("one\n");
  send("a.txt");
  prompt.say("two\n");
  send("b.txt");
  prompt.say("three");
  prompt.end();
  await finished(query);
  const pieces = shown(query);
  const places = ["[a.txt]", "[b.txt]"].map((file) => pieces.indexOf(file));
  expect(places).not.toContain(-1);
  expect(pieces.join("")).toMatch(/one.*\[a\.txt\].*\[b\.txt\]/s);
  expect(query.body()).toBe("one\ntwo\nthree");
  expect(filesIn(query)).toEqual([
    { url: `${poe.apiUrl}files/1`, content_type: "text/plain", name: "a.txt", inline_ref: null },
    { url: `${poe.apiUrl}files/2`, content_type: "text/plain", name: "b.txt", inline_ref: null },
  ]);
  expect(poe.uploads.map(({ bytes }) => String(bytes))).toEqual([
    "content of a.txt",
    "content of b.txt",
  ]);
  expect(poe.violations).toEqual([]);
});

test("a turn that only sends a file has been answered", async () => {
  await open();
  const { query, prompt, send } = await ask(["a.txt"]);
  send("a.txt");
  prompt.end();
  await finished(query);
  expect(shown(query)).toEqual(["[a.txt]"]);
});

test("C24: what Poe refuses is said with a reference, Poe's own words are logged only, and the answer goes on", async () => {
  await open();
  poe.fail({ kind: "answer", status: 413, body: "internal-detail-17" });
  const { query, prompt, send } = await ask(["a.txt"]);
  prompt.say("one\n");
  send("a.txt");
  await rig.logged("a file was not uploaded");
  prompt.say("two");
  prompt.end();
  const body = await finished(query);
  expect(body).toMatch(
    /^one\n\(!\) a\.txt could not be shown here: Poe refused it \(413\) \(ref [0-9A-Z]{4}\)\.two$/,
  );
  const [line = ""] = rig.lines.filter((one) => one.includes('"what":"upload"'));
  expect(line).toContain("internal-detail-17");
  expect(line).not.toContain(KEY);
  expect(filesIn(query)).toEqual([]);
});

test("a connection that breaks is tried once more", async () => {
  await open();
  poe.fail({ kind: "cut" });
  const { query, prompt, send } = await ask(["a.txt"]);
  send("a.txt");
  prompt.end();
  await finished(query);
  expect(shown(query)).toEqual(["[a.txt]"]);
});

test("while Poe takes its time the response stays alive, and another conversation is answered", async () => {
  await open({ spinnerMs: 20, spinnerRepeatMs: 20, silenceMs: 20 });
  poe.fail({ kind: "silence" });
  const { query, prompt, send } = await ask(["a.txt"]);
  prompt.say("one\n");
  send("a.txt");
  await rig.event(({ kind }) => kind === "file");
  const before = query.frames.length;
  const other = rig.ask("else", { conversation: "c-other", messageId: "m2" });
  const second = await rig.agent.prompted(2);
  second.say("done");
  second.end();
  expect(await finished(other)).toBe("done");
  await query.waitFor((one) => one.frames.length > before + 2);
  expect(poe.open).toBe(1);
});

test("a redrive shows a file again without uploading it again", async () => {
  await open();
  const { query, prompt, send } = await ask(["a.txt"]);
  prompt.say("one\n");
  send("a.txt");
  await query.waitFor((one) => filesIn(one).length === 1);
  const again = rig.ask("go", { messageId: "m1" });
  await again.waitFor((one) => filesIn(one).length === 1);
  prompt.end();
  await finished(again);
  expect(filesIn(again)).toEqual(filesIn(query));
  expect(poe.uploads).toHaveLength(1);
});

test("a file that was not delivered comes with the next message, once", async () => {
  await open({ parkAfterMs: 300 });
  const { query, prompt, send } = await ask(["a.txt"]);
  prompt.say("one");
  await finished(query);
  prompt.say("\n");
  send("a.txt");
  prompt.end();
  await rig.event(({ kind }) => kind === "turn-end");
  await using wide = await rig.surfaceWith({});
  const rest = wide.ask(".");
  await finished(rest);
  expect(filesIn(rest).map(({ name }) => name)).toEqual(["a.txt"]);
  const more = wide.ask(".");
  await finished(more);
  expect(filesIn(more)).toEqual([]);
});

test("of a turn that its requester stopped nothing is uploaded any more", async () => {
  await open({ parkAfterMs: 300 });
  const { query, prompt, send } = await ask(["a.txt"]);
  prompt.say("one\n");
  await finished(query);
  send("a.txt");
  await rig.event(({ kind }) => kind === "file");
  await using wide = await rig.surfaceWith({});
  await wide.answer("!stop");
  expect(poe.uploads).toEqual([]);
});

test("one response shows twenty files, and the next one the rest", async () => {
  await open();
  const names = Array.from({ length: 22 }, (_, at) => `${at + 1}.txt`);
  const { query, prompt, send } = await ask(names);
  for (const name of names) send(name);
  prompt.end();
  expect(await finished(query)).toContain("There is more. Send `.` to see the rest.");
  expect(filesIn(query)).toHaveLength(20);
  const rest = rig.ask(".");
  await finished(rest);
  expect(filesIn(rest).map(({ name }) => name)).toEqual(["21.txt", "22.txt"]);
});
