import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPoeId, type Ran, waitFor } from "@acp-kit/testkit";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

vi.setConfig({ testTimeout: 5 * SOON_MS, hookTimeout: SOON_MS });

/** What a terminal would act on: a title, a colour, the clipboard, a line that overwrites another. */
const ESCAPES = "\u001b]0;owned\u0007\u001b[31m\u001b]52;c;b3duZWQ=\u001b\\\r\u009b2J\u202e";

const agent = {
  prompt: [{ kind: "text", text: `heard {{prompt}}${ESCAPES}` }],
} as const;

let relay: KeptRelay;

beforeEach(async () => {
  relay = await KeptRelay.start(agent);
  onTestFinished(() => relay[Symbol.asyncDispose]());
});

async function say(text: string, who: { conversation?: string; userId?: string } = {}) {
  const query = relay.poe.query({ text, ...who });
  expect((await waitFor("the answer", query.done, SOON_MS)).how).toBe("done");
  expect(query.body()).toContain(`heard ${text}`);
  return query.ids;
}

/** Resolves once the reaction is kept. */
async function react(userId: string, conversation: string, reaction: string): Promise<void> {
  const messageId = createPoeId("m");
  await relay.poe.reportReaction({ conversation, messageId, reaction, action: "added", userId });
  await vi.waitFor(() => expect(filesWith(reaction)).not.toEqual([]), SOON_MS);
}

async function stop(): Promise<void> {
  relay.kill("SIGTERM");
  expect(await relay.ends()).toBe(0);
}

/** Runs a command that has to succeed. */
async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await relay.run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** What a command that has to fail says on its only line. */
function failure({ code, stdout, stderr }: Ran): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^poe-relay: [^\n]+\n$/);
  return stderr;
}

/** Files below the state directory that hold one of these texts, in whatever part of them. */
function filesWith(...texts: readonly string[]): string[] {
  return entries().filter((file) => {
    if (!lstatSync(file).isFile()) return false;
    const bytes = readFileSync(file);
    return texts.some((text) => bytes.includes(text));
  });
}

function entries(): string[] {
  return readdirSync(relay.stateDir, { recursive: true }).map((name) =>
    path.join(relay.stateDir, String(name)),
  );
}

/** Puts a file into the directories of the only conversation, as its agent and its person may have. */
function plantFiles(text: string): void {
  for (const parent of ["convs", "files"]) {
    const [directory = "", ...others] = readdirSync(path.join(relay.stateDir, parent));
    expect(others).toEqual([]);
    mkdirSync(path.join(relay.stateDir, parent, directory, "deep"));
    writeFileSync(path.join(relay.stateDir, parent, directory, "deep", "note.txt"), text);
  }
}

describe("erase", () => {
  test("of a conversation leaves its words in no file of the state directory, while the relay runs", async () => {
    const { conversation } = await say("plant-one");
    plantFiles("plant-file");
    await react("u-ana", conversation, "plant-reaction");
    await say("other-two");
    expect(filesWith("plant-one", "plant-file").length).toBeGreaterThan(2);
    const plan = await run("erase", "--conversation", conversation, "--dry-run");
    expect(plan).toContain(
      `Would be erased, with files and scratch workspace:\n  poe/poe/${conversation}`,
    );
    expect(filesWith("plant-one", "plant-file").length).toBeGreaterThan(2);
    const done = await run("erase", "--conversation", conversation);
    expect(done).toContain(`Erased, with files and scratch workspace:\n  poe/poe/${conversation}`);
    expect(done).toMatch(
      /Agents keep their own copies of these sessions; remove them there:\n {2}\S+/,
    );
    expect(filesWith("plant-one", "plant-file", "plant-reaction", conversation)).toEqual([]);
    expect(filesWith("other-two")).not.toEqual([]);
    await say("again-three", { conversation });
  });

  test("of a person leaves none of their words, nor their id, and keeps what others said beside them", async () => {
    const conversation = createPoeId("c");
    await say("alone-one", { userId: "u-plant-ana" });
    await say("shared-two", { userId: "u-plant-ana", conversation });
    await say("kept-three", { userId: "u-bob", conversation });
    await react("u-plant-ana", conversation, "plant-reaction");
    await react("u-bob", conversation, "kept-reaction");
    await stop();
    const done = await run("erase", "--user", "u-plant-ana");
    expect(done).toContain(`Erased in conversations with others:\n  poe/poe/${conversation}`);
    expect(filesWith("alone-one", "shared-two", "u-plant-ana", "plant-reaction")).toEqual([]);
    expect(filesWith("kept-three")).not.toEqual([]);
    expect(filesWith("kept-reaction")).not.toEqual([]);
    expect(await run("erase", "--user", "u-plant-ana")).toBe("Nothing is kept of that.\n");
    await relay.start();
    await say("go-on-four", { userId: "u-bob", conversation });
  });

  test("takes the copies that a restore has left, too", async () => {
    const { conversation } = await say("plant-one");
    const file = path.join(relay.root, "backup.db");
    await run("backup", file);
    await stop();
    await run("restore", file);
    expect(filesWith("plant-one").length).toBeGreaterThan(1);
    const done = await run("sessions", "delete", `poe/poe/${conversation}`);
    expect(done).toMatch(/Erased, copies of the database:\n {2}.*store-replaced\.db/);
    expect(done).toContain("Backups elsewhere are not touched.");
    expect(filesWith("plant-one")).toEqual([]);
    await relay.start();
  });

  test("without saying of whom, or of both, does nothing", async () => {
    for (const args of [[], ["--user", "u-a", "--conversation", "c-b"]]) {
      expect(failure(await relay.run("erase", ...args))).toContain(
        "either --user or --conversation",
      );
    }
  });
});

describe("backup and restore", () => {
  test("bring back what was said until then, from a relay that ran, into a private file", async () => {
    const file = path.join(relay.root, "backup.db");
    const { conversation } = await say("before");
    expect(await run("backup", file)).toContain(`Saved to ${file}`);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    await say("after", { conversation });
    expect(failure(await relay.run("backup", file))).toContain("exists");
    expect(failure(await relay.run("restore", file))).toContain("another process uses");
    await stop();
    expect(await run("restore", file)).toContain("store-replaced.db");
    const shown = await run("sessions", "show", conversation);
    expect(shown).toContain("heard before");
    expect(shown).not.toContain("heard after");
    await relay.start();
    await say("then", { conversation });
  });
});

describe("sessions", () => {
  test("list, show and export print nothing that a terminal acts on", async () => {
    const { conversation } = await say("hello");
    const list = await run("sessions", "list");
    expect(list).toMatch(/^LAST EVENT +EVENTS {2}STATE +CONVERSATION\n/);
    expect(list).toContain(`poe/poe/${conversation}\n`);
    const shown = await run("sessions", "show", conversation);
    const exported = await run("sessions", "export", conversation);
    for (const text of [list, shown, exported]) expect(acts(text)).toEqual([]);
    expect(shown).toContain("heard hello");
    // Nothing is lost in an export: the characters stand in it as escapes.
    const items = exported
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const said = items
      .flatMap(({ event }) => (event?.kind === "text" ? [event.text] : []))
      .join("");
    expect(said).toBe(`heard hello${ESCAPES}`);
    const file = path.join(relay.root, "export.jsonl");
    await run("sessions", "export", conversation, file);
    expect(readFileSync(file, "utf8")).toBe(exported);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  test("of an unknown conversation say how to find one", async () => {
    const ran = await relay.run("sessions", "show", "c-none");
    expect(failure(ran)).toContain('"sessions list" shows all');
  });
});

test("everything in the state directory is for this user alone", async () => {
  await say("hello");
  const modes = entries().map((file) => {
    const stats = lstatSync(file);
    // A link has no mode of its own: who may follow it is said by where it lies and where it leads.
    return { file, isOpen: !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0 };
  });
  expect(lstatSync(relay.stateDir).mode & 0o777).toBe(0o700);
  expect(modes.length).toBeGreaterThan(5);
  expect(modes.filter(({ isOpen }) => isOpen)).toEqual([]);
});

describe("a store that cannot be used is one line that says so", () => {
  const database = () => path.join(relay.stateDir, "store.db");

  test("damaged, of a newer version, or no database", async () => {
    await stop();
    const newer = new DatabaseSync(database());
    newer.exec("PRAGMA user_version = 9999");
    newer.close();
    expect(failure(await relay.run("sessions", "list"))).toMatch(/newer version/);
    await expect(relay.start()).rejects.toThrow(/newer version/);
    truncateSync(database(), 5_000);
    expect(failure(await relay.run("backup", path.join(relay.root, "b.db")))).toMatch(/damaged/);
    writeFileSync(database(), "x".repeat(10_000));
    expect(failure(await relay.run("erase", "--user", "u-a"))).toMatch(/not a database|damaged/);
  });

  test("locked by another program, until that lets it go", async () => {
    await stop();
    const program = `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
      db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
      console.log("locked"); setInterval(() => {}, 60_000);`;
    const holder = spawn(process.execPath, ["-e", program, database()], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    expect(failure(await relay.run("sessions", "list"))).toMatch(/locked/);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(await run("sessions", "list")).toBe("There are no conversations.\n");
  });

  test("missing, and nothing is made in its place", async () => {
    const empty = path.join(relay.root, "empty");
    const other = path.join(relay.root, "home");
    for (const directory of [empty, other]) {
      const ran = await relay.run("sessions", "list", "--state-dir", directory);
      expect(failure(ran)).toContain(`no relay keeps its state in ${directory}`);
    }
    expect(existsSync(empty)).toBe(false);
    expect(readdirSync(other)).toEqual([]);
  });
});

/** Characters of a text that are more than text to a terminal. */
function acts(text: string): string[] {
  return [...text].filter(
    (character) =>
      /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(character) && !"\n\t".includes(character),
  );
}
