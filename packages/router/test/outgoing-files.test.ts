import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { LogEvent, RouterConfig, SendResult } from "../src/index.ts";
import { AgentRig, message, outcomeOf, textOf } from "./agent-rig.ts";
import { samples } from "./attachments/samples.ts";
import { PuppetAgent } from "./puppet-agent.ts";

type Step = Readonly<Record<string, unknown>>;
const says = (text: string): Step => ({ kind: "text", text });
const sends = (content: object): Step => ({
  kind: "update",
  update: { sessionUpdate: "agent_message_chunk", content },
});
const line = (attributes: string) => `<!-- attach ${attributes} -->\n`;

/** An agent that does this, in a workspace with these files. */
function openRig(
  steps: readonly Step[],
  files: Readonly<Record<string, string | Buffer>> = {},
  config: Partial<RouterConfig> = {},
): AgentRig {
  const rig: AgentRig = new AgentRig(
    { prompt: steps },
    {
      sending: () => ({ directive: "attach" }),
      workspaceFor: () => ({
        cwd: path.join(rig.directory, "work"),
        roots: [],
        filesDir: path.join(rig.directory, "files", "c"),
      }),
      ...config,
    },
  );
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(rig.directory, "work", name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  mkdirSync(path.join(rig.directory, "work"), { recursive: true });
  return rig;
}

async function run(
  steps: readonly Step[],
  files: Readonly<Record<string, string | Buffer>>,
  use: (rig: AgentRig, events: LogEvent[]) => Promise<void> | void,
  config: Partial<RouterConfig> = {},
  prepare: (workspace: string) => void = () => {},
): Promise<void> {
  await using rig = openRig(steps, files, config);
  prepare(path.join(rig.directory, "work"));
  await use(rig, await rig.run("go"));
}

const sentIn = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.kind === "file" ? [event] : []));
const noticesIn = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));

async function read(rig: AgentRig, event: LogEvent | undefined): Promise<Buffer | undefined> {
  if (event?.kind !== "file") throw new Error("no file was sent");
  await using opened = await rig.router.openFile("c", event);
  if (!opened) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of opened.stream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("a line that sends a file is not shown, and the file stands in the turn before its end", async () => {
  const text = `Here:\n${line('path="out/plot.png" name="Plot.png"')}Done.`;
  await run([says(text)], { "out/plot.png": samples.png }, async (rig, events) => {
    expect(textOf(events)).toBe("Here:\nDone.");
    const [file, ...others] = sentIn(events);
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      name: "Plot.png",
      contentType: "image/png",
      bytes: samples.png.length,
    });
    expect(await read(rig, file)).toEqual(samples.png);
    expect(events.at(-1)?.kind).toBe("turn-end");
  });
});

test("a line that comes in single characters, or last and without a newline, sends its file all the same", async () => {
  const pieces = [...`Here:\n${line('path="a.txt"')}and ${line('path="a.txt"')}`].map(says);
  const last = line('path="b.txt"').trimEnd();
  await run([...pieces, says(last)], { "a.txt": "a", "b.txt": "b" }, (_, events) => {
    expect(sentIn(events).map(({ name }) => name)).toEqual(["a.txt", "b.txt"]);
    expect(textOf(events)).toBe('Here:\nand <!-- attach path="a.txt" -->\n');
  });
});

test("where no word sends files, every line is text", async () => {
  const text = line('path="a.txt"');
  const sending = () => ({});
  await run(
    [says(text)],
    { "a.txt": "a" },
    (_, events) => {
      expect(textOf(events)).toBe(text);
      expect(sentIn(events)).toEqual([]);
    },
    { sending },
  );
});

test("what was sent stays as it was judged, also when the agent changes or removes the original", async () => {
  const steps = [says(line('path="a.txt"')), { kind: "wait" }];
  await using rig = openRig(steps, { "a.txt": "first" });
  const { turn } = await rig.router.submit("c", message("go"));
  const events = await rig.follow(turn, { until: "file" });
  writeFileSync(path.join(rig.directory, "work", "a.txt"), "second");
  expect(String(await read(rig, events.at(-1)))).toBe("first");
  await rig.router.cancelTurn("c", turn, "user");
});

test("a copy that was changed afterwards is not handed out", async () => {
  await run([says(line('path="a.txt"'))], { "a.txt": "first" }, async (rig, events) => {
    const [file] = sentIn(events);
    const copy = path.join(rig.directory, "files", "c", file?.path ?? "");
    writeFileSync(copy, "other");
    await expect(read(rig, file)).rejects.toThrow("changed");
    writeFileSync(copy, "longer than it was");
    expect(await read(rig, file)).toBeUndefined();
  });
});

test("C19: a copy that was swapped for a link to something else is not handed out", async () => {
  await run([says(line('path="a.txt"'))], { "a.txt": "root:x" }, async (rig, events) => {
    const [file] = sentIn(events);
    const copy = path.join(rig.directory, "files", "c", file?.path ?? "");
    const elsewhere = path.join(rig.directory, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, "a.txt"), "root:x");
    rmSync(copy);
    symlinkSync(path.join(elsewhere, "a.txt"), copy);
    expect(await read(rig, file)).toBeUndefined();
    rmSync(path.dirname(copy), { recursive: true });
    symlinkSync(elsewhere, path.dirname(copy));
    expect(await read(rig, file)).toBeUndefined();
  });
});

test.each(["../../secret", "/etc/hostname", "x/../../y", "a\0b", ".", "..", "a", "a/b/c"])(
  "a log that names %j opens nothing outside of the kept files",
  async (hostile) => {
    await using rig = new AgentRig({ prompt: [] });
    const file = { path: hostile, name: "n", contentType: "", bytes: 1, sha256: "" };
    expect(await rig.router.openFile("c", file)).toBeUndefined();
  },
);

test.each<[string, string, string]>([
  ["the environment", ".env", ".env was not sent: it may hold a secret."],
  ["git's own files", ".git/config", "config was not sent: it may hold a secret."],
  ["a key by its beginning", "notes.txt", "notes.txt was not sent: it may hold a secret."],
  ["the operator's pattern", "customers/list.csv", "list.csv was not sent: it may hold a secret."],
  ["what is not there", "none.txt", "none.txt was not sent: there is no such file."],
  ["a directory", "customers", "customers was not sent: it may hold a secret."],
  [
    "the world outside",
    "../script.json",
    "script.json was not sent: it is outside of the workspace.",
  ],
  ["a system's file", "/etc/hostname", "hostname was not sent: it is outside of the workspace."],
  ["a link that leads out", "link.txt", "link.txt was not sent: it is outside of the workspace."],
  [
    "a second name of a file",
    "hard.txt",
    "hard.txt was not sent: it has several names, one of which may be a secret's.",
  ],
])("C19: %s is refused in a sentence without its path, and audited", async (_, file, said) => {
  const files = {
    ".env": "A=1",
    ".git/config": "x",
    "notes.txt": "-----BEGIN PRIVATE KEY-----\n",
    "customers/list.csv": "x",
    "first.txt": "x",
  };
  const sending = () => ({ directive: "attach", deny: ["customers"] });
  const prepare = (workspace: string) => {
    symlinkSync("/etc/hostname", path.join(workspace, "link.txt"));
    linkSync(path.join(workspace, "first.txt"), path.join(workspace, "hard.txt"));
  };
  const use = (rig: AgentRig, events: LogEvent[]) => {
    expect(noticesIn(events)).toEqual([said]);
    expect(sentIn(events)).toEqual([]);
    const refusals = rig.reports.filter(({ kind }) => kind === "file-refused");
    expect(refusals).toMatchObject([{ conversation: "c", reason: expect.any(String) }]);
  };
  await run([says(line(`path="${file}"`))], files, use, { sending }, prepare);
});

test("C19: one turn sends so many files and bytes, each audited with path and digest", async () => {
  const steps = ["a", "b", "c"].map((name) => says(line(`path="${name}.txt"`)));
  const files = { "a.txt": "aaaa", "b.txt": "bbbbbbbbbbbb", "c.txt": "cccc" };
  const sending = () => ({ directive: "attach", maxFiles: 1, maxFileBytes: 10 });
  await run(
    steps,
    files,
    (rig, events) => {
      expect(sentIn(events).map(({ name }) => name)).toEqual(["a.txt"]);
      expect(noticesIn(events)).toEqual([
        "b.txt was not sent: it is too large.",
        "c.txt was not sent: as many files as one turn may send have been sent.",
      ]);
      const audited = rig.reports.filter(({ kind }) => kind === "file-sent");
      expect(audited).toMatchObject([
        {
          file: expect.stringMatching(/\/work\/a\.txt$/),
          bytes: 4,
          sha256: "61be55a8e2f6b4e172338bddf184d6dbee29c98853e0a0485ecee7f27b9af0b4",
        },
      ]);
    },
    { sending },
  );
});

test("C19: where nothing may leave, nothing does", async () => {
  const sending = () => undefined;
  const image = { type: "image", data: samples.png.toString("base64"), mimeType: "image/png" };
  await run(
    [sends(image)],
    {},
    (_, events) => {
      expect(sentIn(events)).toEqual([]);
      expect(noticesIn(events)).toEqual(["A file was not sent: no files are sent from here."]);
    },
    { sending },
  );
});

test("C21: what the agent sends as bytes becomes a file, and a URL of its stays a link that nobody fetches", async () => {
  const base64 = (bytes: Buffer) => bytes.toString("base64");
  const steps = [
    sends({ type: "image", data: base64(samples.png), mimeType: "image/gif" }),
    sends({ type: "audio", data: base64(samples.mp3), mimeType: "audio/mpeg" }),
    sends({
      type: "resource",
      resource: { uri: "file:///tmp/notes.md", text: "# Notes", mimeType: "text/markdown" },
    }),
    sends({ type: "resource", resource: { uri: "x:data.bin", blob: base64(samples.noise) } }),
    sends({ type: "resource_link", uri: "http://127.0.0.1:1/secret", name: "inside" }),
    sends({ type: "hologram" }),
    sends({ type: "image", data: 5 }),
    says("done"),
  ];
  await run(steps, {}, async (rig, events) => {
    const files = sentIn(events);
    expect(files.map(({ contentType }) => contentType)).toEqual([
      "image/png",
      "audio/mpeg",
      "text/markdown",
      "application/octet-stream",
    ]);
    expect(files[2]?.name).toBe("notes.md");
    expect(String(await read(rig, files[2]))).toBe("# Notes");
    const links = events.flatMap((event) => (event.kind === "content" ? [event.type] : []));
    expect(links).toEqual(["resource_link", "hologram", "image"]);
    expect(noticesIn(events)).toEqual([]);
  });
});

test("a link to a file of the workspace is that file, and one to another file is refused", async () => {
  await using rig = new AgentRig({
    prompt: [
      sends({ type: "resource_link", uri: "file://{{cwd}}/a.txt", name: "a" }),
      sends({ type: "resource_link", uri: "file:///etc/hostname", name: "host" }),
    ],
  });
  await rig.run("first");
  const [{ cwd } = { cwd: "" }] = await rig.router.debug();
  writeFileSync(path.join(cwd, "a.txt"), "a");
  const events = await rig.run("second");
  expect(sentIn(events).map(({ name }) => name)).toEqual(["a"]);
  expect(noticesIn(events)).toEqual(["host was not sent: it is outside of the workspace."]);
});

test("a tool sends by the same rules, learns what became of it, and sends nothing while nothing runs", async () => {
  const agent = new PuppetAgent();
  await using rig = new AgentRig({ prompt: [] }, { agent });
  const send = (file: string): Promise<SendResult> => rig.router.sendFile("c", { path: file });
  expect(await send("a.txt")).toMatchObject({ kind: "refused", reason: "no-turn" });
  const { turn } = await rig.router.submit("c", message("go"));
  const prompt = await agent.prompted(1);
  const [{ cwd } = { cwd: "" }] = await rig.router.debug();
  writeFileSync(path.join(cwd, "a.txt"), "abc");
  expect(await send("a.txt")).toEqual({ kind: "sent", name: "a.txt", bytes: 3 });
  expect(await send("../x")).toMatchObject({
    kind: "refused",
    reason: "missing",
    message: "x was not sent: there is no such file.",
  });
  prompt.answer();
  const events = await rig.follow(turn);
  expect(sentIn(events)).toHaveLength(1);
  expect(noticesIn(events)).toEqual([]);
  expect(await send("a.txt")).toMatchObject({ kind: "refused", reason: "no-turn" });
});

const calls = (sessionUpdate: string, toolCallId: string, ...blocks: readonly object[]): Step => ({
  kind: "update",
  update: {
    sessionUpdate,
    toolCallId,
    title: "Look",
    content: blocks.map((content) => ({ type: "content", content })),
  },
});

test("what a tool call shows reaches the chat once, however often its content is repeated", async () => {
  const shot = { type: "image", data: samples.png.toString("base64"), mimeType: "image/png" };
  const sound = { type: "audio", data: samples.mp3.toString("base64"), mimeType: "audio/mpeg" };
  const notes = { type: "resource", resource: { uri: "file:///tmp/notes.md", text: "# Notes" } };
  const page = { type: "resource_link", uri: "http://127.0.0.1:1/secret", name: "page" };
  const words = { type: "text", text: "words" };
  const steps = [
    calls("tool_call", "1", words, shot),
    calls("tool_call_update", "1", words, shot, sound),
    calls("tool_call_update", "1", words, shot, sound, notes, page),
    calls("tool_call_update", "1", words, shot, sound, notes, page),
    calls("tool_call", "2", shot, page),
    sends(shot),
    says("done"),
  ];
  await run(steps, {}, async (rig, events) => {
    const files = sentIn(events);
    expect(files.map(({ contentType }) => contentType)).toEqual([
      "image/png",
      "audio/mpeg",
      "text/plain",
    ]);
    expect(await read(rig, files[0])).toEqual(samples.png);
    // Each call has its own links; nobody fetches them.
    expect(events.filter(({ kind }) => kind === "content")).toMatchObject([
      { type: "resource_link", name: "page" },
      { type: "resource_link", name: "page" },
    ]);
    const tools = events.flatMap((event) => (event.kind === "tool-update" ? [event.content] : []));
    expect(tools).toEqual(tools.map(() => [{ kind: "text", text: "words" }]));
    expect(noticesIn(events)).toEqual([]);
  });
});

test("a tool call of the next turn shows its picture again", async () => {
  const shot = { type: "image", data: samples.png.toString("base64"), mimeType: "image/png" };
  await using rig = openRig([calls("tool_call", "1", shot)]);
  expect(sentIn(await rig.run("first"))).toHaveLength(1);
  expect(sentIn(await rig.run("second"))).toHaveLength(1);
});

test("C19: what a tool call shows or links is judged and counted like anything that is sent, and refused once", async () => {
  const link = (uri: string, name: string) => ({ type: "resource_link", uri, name });
  const image = (data: Buffer) => ({
    type: "image",
    data: data.toString("base64"),
    mimeType: "image/png",
  });
  await using rig = openRig(
    [
      calls(
        "tool_call",
        "1",
        link("file://{{cwd}}/.env", "env"),
        link("file:///etc/hostname", "h"),
      ),
      calls(
        "tool_call_update",
        "1",
        link("file://{{cwd}}/.env", "env"),
        link("file:///etc/hostname", "h"),
        link("file://{{cwd}}/a.txt", "a.txt"),
        image(samples.png),
      ),
    ],
    { ".env": "A=1", "a.txt": "a" },
    { sending: () => ({ maxFiles: 1 }) },
  );
  const events = await rig.run("go");
  expect(sentIn(events).map(({ name }) => name)).toEqual(["a.txt"]);
  expect(noticesIn(events)).toEqual([
    "env was not sent: it may hold a secret.",
    "h was not sent: it is outside of the workspace.",
    expect.stringMatching(/as many files as one turn may send/),
  ]);
});

test("an agent that has the workspace elsewhere sends by its own paths", async () => {
  const agent = new PuppetAgent();
  await using rig = new AgentRig({ prompt: [] }, { agent });
  const { turn } = await rig.router.submit("c", message("go"));
  const prompt = await agent.prompted(1);
  const [{ cwd } = { cwd: "" }] = await rig.router.debug();
  agent.toHost = (file) => file.replace("/container", cwd);
  for (const name of ["a.txt", "b.txt"]) writeFileSync(path.join(cwd, name), name);
  expect(await rig.router.sendFile("c", { path: "/container/a.txt" })).toMatchObject({
    kind: "sent",
  });
  const content = { type: "resource_link", uri: "file:///container/b.txt", name: "b.txt" };
  prompt.update({ sessionUpdate: "agent_message_chunk", content });
  prompt.answer();
  expect(sentIn(await rig.follow(turn)).map(({ name }) => name)).toEqual(["a.txt", "b.txt"]);
});

test("C19: an agent that asks without end fills neither the log nor the memory", async () => {
  const agent = new PuppetAgent();
  const sending = () => ({ directive: "attach" });
  await using rig = new AgentRig({ prompt: [] }, { agent, sending });
  const { turn } = await rig.router.submit("c", message("go"));
  const prompt = await agent.prompted(1);
  const data = "A".repeat(24 * 1024 * 1024);
  for (let count = 0; count < 6; count += 1) {
    const content = { type: "image", data, mimeType: "image/png" };
    prompt.update({ sessionUpdate: "agent_message_chunk", content });
  }
  prompt.say(line('path="none.txt"').repeat(1_000));
  prompt.answer();
  const events = await rig.follow(turn);
  expect(sentIn(events).length).toBeLessThan(4);
  expect(noticesIn(events).length).toBeLessThan(102);
  const refusals = rig.reports.filter(({ kind }) => kind === "file-refused");
  expect(refusals.length).toBeLessThan(102);
});

test("a turn that was cancelled sends nothing any more, and what it held back is shown", async () => {
  const held = '<!-- attach path="a.txt"';
  const steps = [says("x"), says(`\n${held}`), { kind: "wait" }];
  await using rig = openRig(steps, { "a.txt": "a" });
  const { turn } = await rig.router.submit("c", message("go"));
  await rig.follow(turn, { until: "text" });
  await rig.router.cancelTurn("c", turn, "user");
  const events = await rig.follow(turn);
  expect(outcomeOf(events)).toMatchObject({ kind: "cancelled" });
  expect(textOf(events)).toBe(`x\n${held}`);
  expect(sentIn(events)).toEqual([]);
});

test("what an agent sends between turns reaches the log outside of any turn", async () => {
  const agent = new PuppetAgent();
  await using rig = new AgentRig(
    { prompt: [] },
    { agent, sending: () => ({ directive: "attach" }) },
  );
  const { turn, after } = await rig.router.submit("c", message("go"));
  const prompt = await agent.prompted(1);
  const [{ cwd } = { cwd: "" }] = await rig.router.debug();
  writeFileSync(path.join(cwd, "late.txt"), "late");
  prompt.answer();
  await rig.follow(turn, { after });
  prompt.say(`By the way:\n${line('path="late.txt"')}`);
  const cursor = rig.router.log("c").follow({ after }, AbortSignal.timeout(5_000));
  const seen: LogEvent[] = [];
  while (sentIn(seen).length === 0) seen.push(...((await cursor.next()) ?? []));
  const [file] = sentIn(seen);
  expect(file?.turn).toBeUndefined();
  expect(existsSync(path.join(rig.directory, "files"))).toBe(true);
  expect(readFileSync(path.join(cwd, "late.txt"), "utf8")).toBe("late");
});

test("C19: what a person asks for is sent by the same rules, in no turn, once, and does not disturb one that runs", async () => {
  const steps = [says("x"), says(`\n<!-- attach path="a.txt"`), { kind: "wait" }];
  await using rig = openRig(steps, { "a.txt": "a", ".env": "KEY=1" });
  const ask = (key: string, file: string) =>
    rig.router.submit("c", { kind: "send", key, user: "ana", path: file, at: 1 });
  const { turn } = await rig.router.submit("c", message("go"));
  await rig.follow(turn, { until: "text" });
  for (const key of ["1", "1"]) await ask(key, "a.txt");
  await ask("2", ".env");
  await ask("3", "/etc/passwd");
  const events = await rig.store.read("c", 0, 100);
  const beside = events.filter((event) => event.turn === undefined);
  expect(sentIn(beside).map(({ name }) => name)).toEqual(["a.txt"]);
  expect(noticesIn(beside)).toEqual([
    ".env was not sent: it may hold a secret.",
    "passwd was not sent: it is outside of the workspace.",
  ]);
  expect(await read(rig, sentIn(beside)[0])).toEqual(Buffer.from("a"));
  const reports = rig.reports.filter(({ kind }) => kind.startsWith("file-"));
  expect(reports.map(({ kind }) => kind)).toEqual(["file-sent", "file-refused", "file-refused"]);
  await rig.router.cancelTurn("c", turn, "user");
  // What the turn itself held back is still its own.
  expect(textOf(await rig.follow(turn))).toContain("attach path");
});
