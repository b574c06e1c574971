import {
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createWorkspaces, safeDirectoryName } from "../src/workspaces.ts";
import { rejection, temporaryDirectory } from "./support.ts";

let root: string;
let stateDir: string;
let home: string;

beforeEach(() => {
  root = temporaryDirectory();
  stateDir = join(root, "state");
  home = join(root, "home/ana");
  for (const path of [stateDir, home, join(root, "repo"), join(root, "etc")]) {
    mkdirSync(path, { recursive: true });
  }
});

const shared = (path: string) => ({ isolation: "shared", path, permissions: "ask" }) as const;

function create(workspaces: Parameters<typeof createWorkspaces>[0]["workspaces"]) {
  return createWorkspaces({ workspaces, stateDir, home, guarded: [join(root, "etc/relay.jsonc")] });
}

describe("scratch", () => {
  const scratch = { isolation: "scratch", permissions: "ask" } as const;

  test("each conversation has an empty directory of its own, for ever the same", async () => {
    const workspaces = await create({ scratch });
    const one = await workspaces.workspaceFor("scratch", "poe/shop/c-1");
    const two = await workspaces.workspaceFor("scratch", "poe/shop/c-2");
    expect(one.cwd).not.toBe(two.cwd);
    expect(await workspaces.workspaceFor("scratch", "poe/shop/c-1")).toEqual(one);
    expect(one.exclusive).toBeUndefined();
    expect(statSync(one.cwd).mode & 0o777).toBe(0o700);
    expect(statSync(one.filesDir).mode & 0o777).toBe(0o700);
    expect(one.filesDir.startsWith(one.cwd)).toBe(false);
    expect(one.roots).toEqual([one.filesDir]);
  });

  test("whatever a platform calls a conversation, its directory lies in the state directory", async () => {
    const workspaces = await create({ scratch });
    for (const id of ["../../etc", "/etc/passwd", "a/b", "a\0b", ".", "", "x".repeat(9_000)]) {
      const { cwd } = await workspaces.workspaceFor("scratch", id);
      expect(cwd).toMatch(new RegExp(`^${stateDir}/convs/[0-9a-f]{32}$`));
    }
  });

  test("a directory that was replaced by a link is an error, in the workspace and for files", async () => {
    const workspaces = await create({ scratch });
    for (const part of ["cwd", "filesDir"] as const) {
      const workspace = await workspaces.workspaceFor("scratch", `c-${part}`);
      rmSync(workspace[part], { recursive: true });
      symlinkSync(join(root, "etc"), workspace[part]);
      expect(await rejection(workspaces.workspaceFor("scratch", `c-${part}`))).toMatchObject({
        code: "workspace",
        message: expect.stringContaining("replaced by a link"),
      });
      rmSync(workspace[part]);
      symlinkSync(join(root, "nowhere"), workspace[part]);
      expect(await rejection(workspaces.workspaceFor("scratch", `c-${part}`))).toMatchObject({
        code: "workspace",
      });
      expect(existsSync(join(root, "nowhere"))).toBe(false);
    }
  });

  test("a directory name says nothing of the id, and two ids never share one", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(safeDirectoryName(a)).toMatch(/^[0-9a-f]{32}$/);
        expect(safeDirectoryName(a) === safeDirectoryName(b)).toBe(a === b);
      }),
    );
  });
});

describe("shared", () => {
  test("every conversation works in the real directory, one turn at a time", async () => {
    symlinkSync(join(root, "repo"), join(root, "link"));
    const workspaces = await create({ shop: shared(join(root, "link")) });
    const one = await workspaces.workspaceFor("shop", "poe/shop/c-1");
    const two = await workspaces.workspaceFor("shop", "poe/shop/c-2");
    expect(one.cwd).toBe(join(root, "repo"));
    expect(one.exclusive).toBe(two.exclusive);
    expect(one.exclusive).toBe(join(root, "repo"));
    expect(one.filesDir).not.toBe(two.filesDir);
    expect(one.filesDir.startsWith(stateDir)).toBe(true);
  });

  test("the file system's root is refused at start", async () => {
    expect(await rejection(create({ shop: shared("/") }))).toMatchObject({
      code: "workspace",
      message: expect.stringMatching(/^workspace "shop" is the root/),
    });
  });

  test.each<[string, () => string, RegExp]>([
    ["the user's home directory", () => home, /home directory/],
    ["a directory that contains it", () => join(root, "home"), /home directory/],
    ["the state directory", () => stateDir, /relay's own files/],
    ["a directory in the state directory", () => join(stateDir, "convs"), /inside the state/],
    ["a directory with the configuration", () => join(root, "etc"), /relay's own files/],
    ["a directory that is not there", () => join(root, "nowhere"), /is not there \(ENOENT\)/],
    ["a file", () => join(root, "file"), /is no directory/],
  ])("%s is refused at start, also behind a link", async (_, target, why) => {
    mkdirSync(join(stateDir, "convs"));
    writeFileSync(join(root, "file"), "");
    symlinkSync(target(), join(root, "link"));
    for (const path of [target(), join(root, "link")]) {
      expect(await rejection(create({ shop: shared(path) }))).toMatchObject({
        code: "workspace",
        message: expect.stringMatching(why),
      });
    }
  });

  test("a directory beside the state directory whose name begins like it is fine", async () => {
    mkdirSync(`${stateDir}-repo`);
    await expect(create({ shop: shared(`${stateDir}-repo`) })).resolves.toBeDefined();
    mkdirSync(join(root, "..repo"));
    await expect(create({ shop: shared(join(root, "..repo")) })).resolves.toBeDefined();
  });

  test("a directory that vanished is an error, never another directory", async () => {
    const workspaces = await create({ shop: shared(join(root, "repo")) });
    rmSync(join(root, "repo"), { recursive: true });
    expect(await rejection(workspaces.workspaceFor("shop", "c"))).toMatchObject({
      code: "workspace",
    });
    expect(existsSync(join(root, "repo"))).toBe(false);
  });

  test("a link that was turned elsewhere is an error", async () => {
    mkdirSync(join(root, "other"));
    symlinkSync(join(root, "repo"), join(root, "link"));
    const workspaces = await create({ shop: shared(join(root, "link")) });
    symlinkSync(join(root, "other"), join(root, "link2"));
    renameSync(join(root, "link2"), join(root, "link"));
    expect(await rejection(workspaces.workspaceFor("shop", "c"))).toMatchObject({
      code: "workspace",
      message: expect.stringContaining("another directory"),
    });
  });
});

test.each(["nope", "__proto__", "constructor", "/etc"])(
  "there is no workspace %j",
  async (name) => {
    const workspaces = await create({ shop: shared(join(root, "repo")) });
    expect(await rejection(workspaces.workspaceFor(name, "c"))).toMatchObject({
      code: "workspace",
    });
  },
);
