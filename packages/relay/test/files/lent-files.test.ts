import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { AgentIdentity } from "../../src/agent-identity.ts";
import { createFileLending, eraseLentFiles, sweepLentFiles } from "../../src/files/lent-files.ts";
import { LoanBook, loanTables } from "../../src/files/loan-book.ts";
import { runCommand } from "../../src/git/run-command.ts";
import { createLog } from "../../src/log.ts";
import { Redactor } from "../../src/redactor.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { safeDirectoryName } from "../../src/workspaces.ts";
import { gitIn, Repository } from "../git/repository.ts";
import { temporaryDirectory } from "../support.ts";

const NOBODY = 65_534;
const DAY_MS = 86_400_000;
const CONVERSATION = "poe/shop/c-1";
const own = safeDirectoryName(CONVERSATION);
const path = process.env["PATH"];
const log = createLog({ level: "silent", write: () => {}, redactor: new Redactor() });

let root: string;
let repository: Repository;
let book: LoanBook;

beforeEach(async () => {
  root = temporaryDirectory();
  repository = new Repository(join(root, "repo"));
  const state = join(root, "state");
  mkdirSync(state, { mode: 0o700 });
  const db = await openRelayDb(state, [loanTables]);
  onTestFinished(() => db[Symbol.asyncDispose]());
  book = new LoanBook(db);
});

/** A kept file of a message. */
function keep(message: string, name: string, content: string | Buffer = name): string {
  const file = join(root, "state/files/c", message, name);
  mkdirSync(join(root, "state/files/c", message), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

const lendingIn = (cwd: string, identity: AgentIdentity = {}) =>
  createFileLending({
    ...{ book, identity, path, cwd, log, now: Date.now },
    conversation: CONVERSATION,
    filesDir: join(root, "state/files/c"),
  });

async function lend(cwd: string, files: readonly string[], identity: AgentIdentity = {}) {
  const result = await lendingIn(cwd, identity).lend(files);
  if (result.kind === "refused") throw new Error(result.message);
  return files.map((file) => result.copies.get(file) ?? "");
}

const excluded = (checkout: string) =>
  readFileSync(join(checkout, ".git/info/exclude"), "utf8")
    .split("\n")
    .filter((line) => line === ".acp-kit/");

describe("a file that is lent", () => {
  test("lies in the workspace, byte for byte, and the checkout stays clean", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    const files = [keep("m-1", "a b.bin", bytes), keep("m-2", "-rf", "x")];
    const copies = await lend(repository.path, files);
    expect(copies).toEqual([
      join(repository.path, ".acp-kit", own, "m-1/a b.bin"),
      join(repository.path, ".acp-kit", own, "m-2/-rf"),
    ]);
    expect(readFileSync(copies[0] ?? "").equals(bytes)).toBe(true);
    expect(statSync(copies[0] ?? "").mode & 0o077).toBe(0);
    expect(repository.git("status", "--porcelain", "--untracked-files=all")).toBe("");
    // The originals stay, and are lent again as they are, whatever became of the copies.
    writeFileSync(copies[1] ?? "", "changed by the agent");
    await lend(repository.path, files);
    expect(readFileSync(copies[1] ?? "", "utf8")).toBe("x");
    expect(excluded(repository.path)).toHaveLength(1);
    expect(existsSync(join(repository.path, ".gitignore"))).toBe(true);
    expect(repository.git("check-ignore", "--verbose", ".acp-kit/x")).toContain("info/exclude");
  });

  test("is hidden in a worktree by the repository's own list, and in a directory of a checkout", async () => {
    rmSync(join(repository.path, ".git/info"), { recursive: true });
    const worktree = join(root, "worktree");
    repository.git("worktree", "add", "--quiet", worktree);
    const inner = join(repository.path, "inner");
    mkdirSync(inner);
    for (const cwd of [worktree, inner]) {
      await lend(cwd, [keep("m-1", "a.txt")]);
      expect(gitIn(cwd, "status", "--porcelain", "--untracked-files=all")).toBe("");
    }
    expect(excluded(repository.path)).toHaveLength(1);
  });

  test("does not break a list that ends without a line break", async () => {
    const list = join(repository.path, ".git/info/exclude");
    writeFileSync(list, "*.log");
    await lend(repository.path, [keep("m-1", "a.txt")]);
    expect(readFileSync(list, "utf8")).toBe("*.log\n.acp-kit/\n");
  });

  test("needs no checkout", async () => {
    const cwd = join(root, "plain");
    mkdirSync(cwd);
    const [copy = ""] = await lend(cwd, [keep("m-1", "a.txt")]);
    expect(readFileSync(copy, "utf8")).toBe("a.txt");
  });
});

test("an original that is a link, is gone or cannot be read to its end is not lent", async () => {
  const link = join(root, "state/link");
  symlinkSync(keep("m-1", "a.txt"), link);
  for (const original of [link, join(root, "state/none"), join(root, "state/files")]) {
    expect((await lendingIn(repository.path).lend([original])).kind).toBe("refused");
  }
});

describe("C19: through a link", () => {
  const elsewhere = () => join(root, "elsewhere");
  beforeEach(() => mkdirSync(elsewhere()));

  test.each([".acp-kit", `.acp-kit/${own}`, `.acp-kit/${own}/m-1`])(
    "nothing is lent, swept or erased where %s is one, and it is said",
    async (place) => {
      const link = join(repository.path, place);
      const [copy = ""] = await lend(repository.path, [keep("m-1", "a.txt")]);
      rmSync(link, { recursive: true });
      symlinkSync(elsewhere(), link);
      mkdirSync(join(elsewhere(), own, "m-1"), { recursive: true });
      writeFileSync(join(elsewhere(), own, "m-1/a.txt"), "theirs");
      writeFileSync(join(elsewhere(), "a.txt"), "theirs");
      const result = await lendingIn(repository.path).lend([keep("m-1", "a.txt")]);
      expect(result).toEqual({
        kind: "refused",
        message:
          "The files could not be put into the workspace, so the agent may not be able to open them: its `.acp-kit` is a link, or cannot be written.",
      });
      await sweepLentFiles(book, { path, days: 0, now: Date.now() + DAY_MS, log });
      await eraseLentFiles(book, CONVERSATION, path);
      expect(readFileSync(join(elsewhere(), own, "m-1/a.txt"), "utf8")).toBe("theirs");
      expect(readdirSync(elsewhere()).sort()).toEqual([own, "a.txt"].sort());
      expect(readFileSync(join(elsewhere(), "a.txt"), "utf8")).toBe("theirs");
      expect(copy).not.toBe("");
    },
  );

  test("a file's own name leads nowhere, and a list that is one is not written", async () => {
    const [copy = ""] = await lend(repository.path, [keep("m-1", "a.txt")]);
    const target = join(elsewhere(), "target");
    writeFileSync(target, "theirs");
    rmSync(copy);
    symlinkSync(target, copy);
    await lend(repository.path, [keep("m-1", "a.txt")]);
    expect(lstatSync(copy).isFile()).toBe(true);
    const list = join(repository.path, ".git/info/exclude");
    rmSync(list);
    symlinkSync(target, list);
    const result = await lendingIn(repository.path).lend([keep("m-2", "b.txt")]);
    expect(result.kind).toBe("refused");
    expect(readFileSync(target, "utf8")).toBe("theirs");
  });
});

test("copies go with their time, each message for itself, and nothing is left at the end", async () => {
  const [old = "", young = ""] = await lend(repository.path, [
    keep("m-1", "a.txt"),
    keep("m-2", "b.txt"),
  ]);
  const then = new Date(Date.now() - 31 * DAY_MS);
  utimesSync(join(old, ".."), then, then);
  await sweepLentFiles(book, { path, days: 30, now: Date.now(), log });
  expect([existsSync(join(old, "..")), existsSync(young)]).toEqual([false, true]);
  expect(book.all()).toHaveLength(1);
  utimesSync(join(young, ".."), then, then);
  await sweepLentFiles(book, { path, days: 30, now: Date.now() + 31 * DAY_MS, log });
  expect(existsSync(join(repository.path, ".acp-kit"))).toBe(false);
  expect(book.all()).toEqual([]);
});

test("copies are erased with the conversation, or those of one person, also where a workspace is gone", async () => {
  const [ofAna = "", ofBob = ""] = await lend(repository.path, [
    keep("ana-1", "a.txt"),
    keep("bob-1", "b.txt"),
  ]);
  const gone = join(root, "gone");
  mkdirSync(gone);
  await lend(gone, [keep("ana-1", "a.txt")]);
  rmSync(gone, { recursive: true });
  expect(await eraseLentFiles(book, CONVERSATION, path, "ana-")).toEqual([]);
  expect([existsSync(ofAna), existsSync(ofBob)]).toEqual([false, true]);
  expect(await eraseLentFiles(book, CONVERSATION, path)).toEqual([]);
  expect(existsSync(join(repository.path, ".acp-kit"))).toBe(false);
});

test("a wrapper borrows what its map of directories does not show", () => {
  const wrapper = ["sh", "wrap.sh"];
  const shown = (host: string) => ({ wrapper, pathMap: [{ host, agent: "/inside" }] });
  const needed = (identity: AgentIdentity) => lendingIn(repository.path, identity).isAlwaysNeeded;
  expect(needed({})).toBe(false);
  expect(needed(shown(join(root, "state")))).toBe(false);
  expect(needed(shown(repository.path))).toBe(true);
  expect(needed(shown(join(root, "state/files/c-2")))).toBe(true);
});

describe("C1: under a second uid", () => {
  // Only root can start a process under another uid, so elsewhere nothing of this can be shown.
  if (process.getuid?.() !== 0) {
    test("it is NOT SHOWN here, because this is not root", () => {
      expect(process.getuid?.()).not.toBe(0);
    });
    return;
  }

  test("that user reads the copy and not the original, owns it, and what is hidden stays hidden", async () => {
    const identity = { runAs: { uid: NOBODY, gid: NOBODY } };
    chmodSync(root, 0o755);
    const names = readdirSync(repository.path, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...names]) chownSync(join(repository.path, name), NOBODY, NOBODY);
    const original = keep("m-1", "a.txt", "secret words");
    const lending = lendingIn(repository.path, identity);
    expect(lending.isAlwaysNeeded).toBe(true);
    const [copy = ""] = await lend(repository.path, [original], identity);
    const asAgent = (...argv: string[]) =>
      runCommand(argv, {
        ...{ identity, env: { PATH: path ?? "" }, cwd: repository.path },
        ...{ timeoutMs: 10_000, maxBytes: 10_000 },
      });
    expect(await asAgent("cat", copy)).toMatchObject({ code: 0, stdout: "secret words" });
    expect(await asAgent("cat", original)).toMatchObject({ code: 1, stdout: "" });
    for (const place of [copy, join(repository.path, ".acp-kit")]) {
      expect(statSync(place).uid).toBe(NOBODY);
      expect(statSync(place).mode & 0o077).toBe(0);
    }
    expect(statSync(join(repository.path, ".git/info/exclude")).uid).toBe(NOBODY);
    expect(await asAgent("git", "status", "--porcelain")).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(original).uid).toBe(0);
    expect(await eraseLentFiles(book, CONVERSATION, path)).toEqual([]);
    expect(existsSync(join(repository.path, ".acp-kit"))).toBe(false);
  });
});
