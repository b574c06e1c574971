import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createDownloads } from "@acp-kit/router/attachments";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { CommandMessage } from "../../src/commands/command-context.ts";
import { gitIn, Repository, writeIn } from "../git/repository.ts";
import { DEADLINE_MS, temporaryDirectory } from "../support.ts";
import { conversationOf, PlaceRig } from "./place-rig.ts";

vi.setConfig({ testTimeout: 2 * DEADLINE_MS });

let root: string;
let repository: Repository;

beforeEach(() => {
  root = temporaryDirectory();
  mkdirSync(join(root, "home"));
  mkdirSync(join(root, "infra"));
  repository = new Repository(join(root, "repo"));
});

const operator = [{ users: ["ana", "bob"], role: "operator" }];
const slow = [
  { kind: "wait", ms: 300 },
  { kind: "text", text: "{{session}} {{cwd}}" },
];

describe("a shared checkout", () => {
  const shared = () => ({
    workspaces: { shop: { isolation: "shared", path: repository.path } },
    workspace: "shop",
    access: operator,
    prompt: slow,
  });

  test("two conversations never share a session and never run at once; who waits is told for whom, and the checkout stays clean", async () => {
    await using rig = await PlaceRig.open(root, shared());
    const turns = await Promise.all([rig.ask("c-1", "ana"), rig.ask("c-2", "bob")]);
    const [one, two] = turns.sort((a, b) => a.span[0] - b.span[0]);
    expect([one?.place.cwd, two?.place.cwd]).toEqual([repository.path, repository.path]);
    expect(one?.place.session).not.toBe(two?.place.session);
    expect((one?.span[1] ?? 1) <= (two?.span[0] ?? 0)).toBe(true);
    const busy = two?.all.flatMap((event) =>
      event.kind === "status" && event.busy ? [event.busy] : [],
    );
    const first = one?.all.find(({ kind }) => kind === "turn-start");
    const who = first?.kind === "turn-start" ? first.who : undefined;
    expect(busy).toEqual([{ name: "shop", who, since: expect.any(Number) }]);
    expect(repository.git("status", "--porcelain", "--ignored")).toBe("");
    const { filesDir } = await rig.places.workspaceFor(conversationOf("c-1"));
    expect(filesDir.startsWith(join(root, "state"))).toBe(true);
  });

  test("the agent works in the directory itself, and it is clean after a file was sent", async () => {
    const server = createServer((_, response) => response.end("planted"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await using downloads = createDownloads({
      ...{ hosts: ["127.0.0.1"], schemes: ["http:"], ports: [port] },
      isAddressAllowed: (address) => address === "127.0.0.1",
    });
    const prompt = [{ kind: "text", text: "{{session}} {{cwd}}" }];
    await using rig = await PlaceRig.open(root, { ...shared(), prompt, downloads });
    const url = `http://127.0.0.1:${port}/notes.txt`;
    const file = { url, name: "notes.txt", contentType: "text/plain", parsedContent: "" };
    const { place } = await rig.ask("c-1", "ana", undefined, [file]);
    expect(place.cwd).toBe(repository.path);
    const { filesDir } = await rig.places.workspaceFor(conversationOf("c-1"));
    const kept = readdirSync(filesDir, { recursive: true, encoding: "utf8" });
    expect(kept.filter((name) => name.endsWith("notes.txt"))).toHaveLength(1);
    expect(repository.git("status", "--porcelain")).toBe("");
    // This agent cannot be told of further directories: it has a copy, which git ignores.
    expect(repository.git("status", "--porcelain", "--ignored")).toBe("!! .acp-kit/");
    const copies = readdirSync(join(repository.path, ".acp-kit"), {
      recursive: true,
      encoding: "utf8",
    });
    expect(copies.filter((name) => name.endsWith("notes.txt"))).toHaveLength(1);
  });

  test.each([
    ["the relay's own user is told of the files' directory and borrows", {}, false],
    [
      "another user only borrows",
      { runAs: { uid: 65_534, gid: 65_534 }, env: { HOME: "/" } },
      true,
    ],
  ])("an agent of %s what people send", async (_, agent, isAlwaysNeeded) => {
    await using rig = await PlaceRig.open(root, { ...shared(), agent });
    const turn = { user: "ana", signal: new AbortController().signal, preparing() {} };
    const workspace = await rig.places.workspaceFor(conversationOf("c-1"), turn);
    const { roots, filesDir, lending } = workspace;
    expect(lending?.isAlwaysNeeded).toBe(isAlwaysNeeded);
    expect(roots).toEqual(isAlwaysNeeded ? [] : [filesDir]);
  });

  test("C26: what runs on behalf of an agent that somebody has chosen runs as that agent", async () => {
    const other = { runAs: { uid: 65_534, gid: 65_534 }, env: { HOME: "/" } };
    await using rig = await PlaceRig.open(root, { ...shared(), other });
    const conversation = conversationOf("c-1");
    const identity = async () => (await rig.places.surroundingsOf(conversation)).identity;
    expect((await identity()).runAs).toBeUndefined();
    const chosen = { kind: "choose", key: "agent", user: "ana", agent: "other" } as const;
    await rig.router.submit(conversation, { ...chosen, at: Date.now() });
    const isChosen = async () => expect((await identity()).runAs).toEqual(other.runAs);
    await vi.waitFor(isChosen, DEADLINE_MS);
    const turn = { user: "ana", signal: new AbortController().signal, preparing() {} };
    const { lending } = await rig.places.workspaceFor(conversation, turn);
    expect(lending?.isAlwaysNeeded).toBe(true);
  });

  test("a directory that vanished is said in chat and not replaced", async () => {
    await using rig = await PlaceRig.open(root, shared());
    rmSync(repository.path, { recursive: true });
    const { outcome } = await rig.ask("c-1", "ana");
    expect(outcome).toMatchObject({
      kind: "failed",
      code: "workspace",
      message: expect.stringMatching(/^The workspace "shop" is not there/),
    });
    expect(JSON.stringify(outcome)).not.toContain(root);
  });
});

describe("worktrees", () => {
  const worktrees = () => ({
    workspaces: { shop: { isolation: "worktree", path: repository.path, base: "main" } },
    workspace: "shop",
    access: operator,
    prompt: slow,
  });

  test("two conversations work at once, each in a worktree of its own, also after a restart", async () => {
    let before: readonly string[];
    {
      await using rig = await PlaceRig.open(root, worktrees());
      const turns = await Promise.all([rig.ask("c-1", "ana"), rig.ask("c-2", "bob")]);
      const [one, two] = turns;
      expect(one.place.cwd).not.toBe(two.place.cwd);
      expect(one.notices).toEqual([expect.stringMatching(/branch of its own, `acp\//)]);
      expect(one.all.some((event) => event.kind === "status" && event.busy)).toBe(false);
      for (const { place } of turns) {
        expect(gitIn(place.cwd, "symbolic-ref", "HEAD")).toMatch(/^refs\/heads\/acp\//);
      }
      writeIn(one.place.cwd, "work.txt", "work");
      before = turns.map(({ place }) => place.cwd);
    }
    await using rig = await PlaceRig.open(root, worktrees());
    const one = await rig.ask("c-1", "ana");
    expect(one.place.cwd).toBe(before[0]);
    expect(gitIn(one.place.cwd, "status", "--porcelain")).toBe("?? work.txt");
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  test("asking where files are makes none", async () => {
    await using rig = await PlaceRig.open(root, worktrees());
    await rig.places.workspaceFor(conversationOf("c-1"));
    expect(repository.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  test("a lost one is said in chat until the project is chosen again", async () => {
    await using rig = await PlaceRig.open(root, worktrees());
    const { place } = await rig.ask("c-1", "ana");
    rmSync(place.cwd, { recursive: true });
    for (let times = 0; times < 2; times++) {
      expect((await rig.ask("c-1", "ana")).outcome).toMatchObject({
        kind: "failed",
        message: expect.stringContaining("choose the project again for a new one"),
      });
    }
    const { projects } = rig.places;
    const choice = await projects.choose(conversationOf("c-1"), "ana", "shop");
    expect(choice.kind).toBe("chosen");
    const next = await rig.ask("c-1", "ana");
    expect(next.outcome).toMatchObject({ kind: "completed" });
    expect(next.place.cwd).not.toBe(place.cwd);
  });
});

describe("a project", () => {
  const config = (workspace = "shop") => ({
    workspaces: {
      shop: { isolation: "shared", path: repository.path },
      infra: { isolation: "shared", path: join(root, "infra") },
      secret: { isolation: "scratch" },
    },
    workspace,
    access: [
      { users: ["op"], role: "operator" },
      { users: ["ana"], workspaces: ["shop", "infra"] },
      { users: ["bob"] },
    ],
  });
  const conversation = conversationOf("c-1");

  test("is chosen by a name that the person's rule lists; others are as if they were not there", async () => {
    await using rig = await PlaceRig.open(root, config());
    const { projects } = rig.places;
    const names = (user: string) => projects.list(conversation, user).map(({ name }) => name);
    expect(names("ana")).toEqual(["shop", "infra"]);
    expect(names("bob")).toEqual(["shop"]);
    expect(names("op")).toEqual(["shop", "infra", "secret"]);
    expect(names("stranger")).toEqual([]);
    const closed = await projects.choose(conversation, "ana", "secret");
    expect(closed).toEqual(await projects.choose(conversation, "ana", "/etc"));
    expect(closed.kind).toBe("closed");
    expect(projects.current(conversation)).toBe("shop");
  });

  test("that is changed starts a new session there, which is said, and stays chosen", async () => {
    {
      await using rig = await PlaceRig.open(root, config());
      const { projects } = rig.places;
      const first = await rig.ask("c-1", "ana");
      expect((await projects.choose(conversation, "ana", "shop")).kind).toBe("same");
      const choice = await projects.choose(conversation, "ana", "infra");
      expect(choice).toEqual({
        kind: "chosen",
        text: expect.stringMatching(/`infra`, in a new session/),
      });
      const next = await rig.ask("c-1", "ana");
      expect(next.place.cwd).toBe(join(root, "infra"));
      expect(next.place.session).not.toBe(first.place.session);
      expect(next.notices).toEqual([]);
    }
    await using rig = await PlaceRig.open(root, config());
    expect((await rig.ask("c-1", "ana")).place.cwd).toBe(join(root, "infra"));
    // C7: it is not open to everybody in the conversation because somebody chose it.
    const bobs = await rig.ask("c-1", "bob");
    expect(bobs.place.cwd).toBe("");
    expect(JSON.stringify(bobs.all)).toContain("The project infra is not open to you here.");
  });

  test("is fixed by the first turn, whatever the configuration says later", async () => {
    {
      await using rig = await PlaceRig.open(root, config());
      await rig.ask("c-1", "op");
    }
    await using rig = await PlaceRig.open(root, config("infra"));
    expect((await rig.ask("c-1", "op")).place.cwd).toBe(repository.path);
    expect((await rig.ask("c-2", "op")).place.cwd).toBe(join(root, "infra"));
  });

  test("that has left the configuration is said in chat, and another can be chosen", async () => {
    {
      await using rig = await PlaceRig.open(root, config());
      await rig.ask("c-1", "op");
    }
    const { shop: _, ...workspaces } = config().workspaces;
    const access = operator.map((rule) => ({ ...rule, users: ["op"] }));
    await using rig = await PlaceRig.open(root, { ...config("infra"), workspaces, access });
    expect((await rig.ask("c-1", "op")).outcome).toMatchObject({
      kind: "failed",
      message: 'The workspace "shop" is not there any more; choose another project.',
    });
    await rig.places.projects.choose(conversation, "op", "infra");
    expect((await rig.ask("c-1", "op")).place.cwd).toBe(join(root, "infra"));
  });
});

describe("what has changed", () => {
  const speaking = [
    { kind: "text", text: "{{session}} {{cwd}}" },
    { kind: "wait", ms: 500 },
  ];
  const config = (isolation: string) => ({
    workspaces: { shop: { isolation, path: repository.path } },
    workspace: "shop",
    access: operator,
    prompt: speaking,
  });
  const message: CommandMessage = {
    ...{ conversation: conversationOf("c-1"), bot: "shop", user: "ana", key: "m", text: "!diff" },
    ...{ role: "operator", at: 0, query: [] },
  };

  test("in a shared checkout is what is not committed; secrets are named and not shown", async () => {
    await using rig = await PlaceRig.open(root, config("shared"));
    expect(await rig.changes.diff(message, undefined)).toEqual({ files: [], isCut: false });
    repository.write("README.md", "# Changed\n");
    repository.write("src/a.ts", "a\n");
    repository.write(".env", "KEY=planted\n");
    const all = await rig.changes.diff(message, undefined);
    expect(all?.files).toEqual([
      { path: ".env", added: 1, removed: 0 },
      { path: "README.md", added: 1, removed: 1 },
      { path: "src/a.ts", added: 1, removed: 0 },
    ]);
    expect(all?.patch).toContain("+# Changed");
    expect(all?.patch).not.toContain("planted");
    for (const path of ["src", "src/", "src/a.ts"]) {
      const one = await rig.changes.diff(message, path);
      expect(one?.files.map((file) => file.path)).toEqual(["src/a.ts"]);
      expect(one?.patch).not.toContain("# Changed");
    }
    expect(await rig.changes.diff(message, ".env")).toEqual({
      files: [{ path: ".env", added: 1, removed: 0 }],
      isCut: false,
    });
    expect((await rig.changes.diff(message, "../../etc"))?.files).toEqual([]);
  });

  test("in a worktree is everything since its branch began, commits included", async () => {
    await using rig = await PlaceRig.open(root, config("worktree"));
    const { place } = await rig.ask("c-1", "ana");
    writeIn(place.cwd, "committed.txt", "committed\n");
    gitIn(place.cwd, "add", "--all");
    gitIn(place.cwd, "commit", "--quiet", "--message", "work");
    writeIn(place.cwd, "new.txt", "new\n");
    repository.write("other.txt", "other\n");
    const changed = await rig.changes.diff(message, undefined);
    expect(changed?.files.map(({ path }) => path)).toEqual(["committed.txt", "new.txt"]);
  });

  test("in the last turn is what it has changed, not what was there before; it is forgotten by a restart", async () => {
    {
      await using rig = await PlaceRig.open(root, config("shared"));
      expect(await rig.changes.lastTurn?.(message)).toBeUndefined();
      repository.write("mine.txt", "mine\n");
      await rig.ask("c-1", "ana", () => repository.write("agents.txt", "one\ntwo\n"));
      await rig.ask("c-2", "bob", () => repository.write("bobs.txt", "bob\n"));
      expect(await rig.changes.lastTurn?.(message)).toEqual({
        files: [{ path: "agents.txt", added: 2, removed: 0 }],
        isCut: false,
      });
      await rig.ask("c-1", "ana");
      await rig.ask("c-2", "bob");
      expect((await rig.changes.lastTurn?.(message))?.files).toEqual([]);
    }
    await using rig = await PlaceRig.open(root, config("shared"));
    expect(await rig.changes.lastTurn?.(message)).toBeUndefined();
  });

  test("where the directory is gone is an error that says so, not an empty answer", async () => {
    await using rig = await PlaceRig.open(root, config("worktree"));
    const { place } = await rig.ask("c-1", "ana");
    await rig.ask("c-1", "ana");
    await expect.poll(() => rig.changes.lastTurn?.(message)).toBeDefined();
    rmSync(place.cwd, { recursive: true });
    const gone = { code: "workspace", chatText: 'The workspace "shop" is not there any more.' };
    await expect(rig.changes.diff(message, undefined)).rejects.toMatchObject(gone);
    await expect(rig.changes.lastTurn?.(message)).rejects.toMatchObject(gone);
  });

  test("where there is no checkout is not known", async () => {
    const workspaces = { scratch: { isolation: "scratch" } };
    const scratch = { ...config("shared"), workspaces, workspace: "scratch" };
    await using rig = await PlaceRig.open(root, scratch);
    await rig.ask("c-1", "ana");
    expect(await rig.changes.diff(message, undefined)).toBeUndefined();
    expect(await rig.changes.lastTurn?.(message)).toBeUndefined();
  });
});
