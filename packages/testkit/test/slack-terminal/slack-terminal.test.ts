import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { collectOrphans, waitFor } from "../../src/index.ts";

const SOON_MS = 25_000;
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const smallApp = [process.execPath, fileOf("small-app.ts")];

function start(app: readonly string[]) {
  const child = spawn(
    process.execPath,
    ["--conditions=@acp-kit/source", fileOf("../../src/slack-terminal/main.ts"), ...app],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    child,
    ended: () => waitFor("its end", ended, SOON_MS),
    get output() {
      return output;
    },
    sees: (what: string) => waitFor(what, () => output.includes(what), SOON_MS),
  };
}

/** What a script is shown. */
async function run(lines: readonly string[]): Promise<string> {
  const terminal = start(smallApp);
  terminal.child.stdin.end(`${lines.join("\n")}\n`);
  expect(await terminal.ended()).toBe(0);
  return terminal.output;
}

test("one types as a person, sees answers that grow, presses a button and Stop, and acts on messages", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "st-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const file = path.join(root, "note.txt");
  writeFileSync(file, "12345");
  const output = await run([
    "hello",
    "/wait three",
    "ask",
    "/press 1",
    "/wait said yes",
    "wait",
    "/stop",
    "/wait Halted",
    "/edit 1 changed",
    "/react 1 eyes",
    `/file ${file} look`,
    "/wait Got",
    "/look",
    "/quit",
  ]);
  const [, shown = ""] = /.*── ana, direct messages, thread ──\n([\s\S]*)$/.exec(output) ?? [];
  expect(shown.split("\n").filter((line) => !line.startsWith(">"))).toEqual([
    "[1] ana: changed  (edited)  :eyes:1",
    "[2] agent: One, two, three: hello",
    "[3] ana: ask",
    "[4] agent: ana said yes.",
    "[5] ana: wait",
    "[6] agent: Halted.",
    "[7] ana: look  📎 note.txt",
    "[8] agent: Got note.txt of 5 bytes. two, three: look",
    "Ending the app, which has some seconds for what it is at…",
    "",
  ]);
  expect(output).toContain("      [1 Yes]\n");
});

test("several people write in a channel, and the phone of who is mentioned elsewhere rings", async () => {
  const output = await run([
    "/as bob",
    "/channel shop",
    "nobody in particular",
    "@agent hello",
    "/wait three",
    "/as ana",
    "/wait three",
    "/top",
    "/as gus",
    "/as nobody",
    "/channel quiet",
    "/quit",
  ]);
  expect(output).toContain("[1] bob: nobody in particular\n");
  expect(output).toContain("[2] bob: @agent hello\n[3] agent: One, two, three: @agent hello\n");
  expect(output).toContain(
    "── ana, #shop ──\n[1] bob: nobody in particular\n[2] bob: @agent hello  (1 in /thread 2)\n",
  );
  expect(output).toContain("── gus, #shop ──");
  expect(output).toContain("There is nobody called nobody");
});

test("who looks at a thread also sees what the app says in its channel to them alone", async () => {
  const output = await run(["/channel shop", "@agent no, not this", "/wait Not you", "/quit"]);
  expect(output).toContain("[2] agent: Not you.  (only you)\n");
});

test("a number leads to where its thing is, and no further than who types may see", async () => {
  const output = await run([
    "ask",
    "/wait Shall",
    "/channel shop",
    "@agent hello",
    "/wait three",
    "/thread 1",
    "/as bob",
    "/press 1",
    "/thread 1",
    "/quit",
  ]);
  expect(output).toContain("> /thread 1\n── ana, direct messages, thread ──\n[1] ana: ask\n");
  expect(output).toContain("> /press 1\nbob does not see that.\n");
  expect(output).toContain("> /thread 1\nbob does not see that.\n");
  expect(output).not.toContain("said yes");
});

test("what an app says controls no terminal", async () => {
  const output = await run(["hostile", "/wait abc", "/quit"]);
  expect(output).toContain("[2] agent: abc\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

test("a script that ends waits for the answer", async () => {
  expect(await run(["hello"])).toContain("[2] agent: One, two, three: hello\n");
});

test.each(["SIGINT", "SIGTERM"] as const)("%s ends it with its app", async (signal) => {
  const marker = `${process.pid}-${signal}`;
  const terminal = start([...smallApp, marker]);
  await terminal.sees("/log shows what it has printed");
  terminal.child.kill(signal);
  expect(await terminal.ended()).toBe(0);
  expect(await collectOrphans(marker)).toEqual([]);
});

test("an app that ends is shown with what it has printed", async () => {
  const program = "console.log('no \\u001b[31mtoken'); process.exit(3)";
  const terminal = start([process.execPath, "-e", program]);
  expect(await terminal.ended()).toBe(1);
  expect(terminal.output).toContain("The app has ended. It has printed:\nno token\n");
});

test("without an app it says how it is used", async () => {
  const terminal = start([]);
  expect(await terminal.ended()).toBe(1);
  expect(terminal.output).toMatch(/^Usage: slack-terminal COMMAND/);
});
