import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RpcError } from "../src/index.ts";
import { SandboxedFiles } from "../src/sandboxed-files.ts";
import { rejection } from "./raw-peer.ts";

const files = new SandboxedFiles({ maxReadBytes: 1_000 });
let top: string;
let root: string;
let outside: string;

beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), "acp-wire-"));
  root = join(top, "root");
  outside = join(top, "outside");
  await mkdir(join(root, "sub"), { recursive: true });
  await mkdir(outside);
  await mkdir(join(top, "root-like"));
  await writeFile(join(root, "lines.txt"), "one\r\ntwo\nthree\n");
  await writeFile(join(root, "large.txt"), "x".repeat(1_001));
  await writeFile(join(outside, "secret"), "secret");
  await writeFile(join(top, "root-like", "secret"), "secret");
  await symlink(join(outside, "secret"), join(root, "link-out"));
  await symlink(outside, join(root, "dir-out"));
  await symlink(join(root, "lines.txt"), join(root, "link-in"));
  await symlink(join(outside, "not-there"), join(root, "dangling"));
  await symlink(root, join(top, "alias"));
  execFileSync("mkfifo", [join(root, "pipe")]);
});
afterAll(() => rm(top, { recursive: true }));

describe("reading", () => {
  it.each([
    ["a whole file", {}, "one\r\ntwo\nthree\n"],
    ["from a line on", { line: 2 }, "two\nthree\n"],
    ["some lines", { line: 2, limit: 1 }, "two"],
    ["the first lines, with their CR", { limit: 1 }, "one\r"],
    ["line 0 as the first", { line: 0, limit: 1 }, "one\r"],
    ["a line behind the end", { line: 99 }, ""],
    ["no limit for a limit of 0", { line: 3, limit: 0 }, "three\n"],
    ["null as nothing said", { line: null, limit: null }, "one\r\ntwo\nthree\n"],
  ])("gives %s", async (_, range, expected) => {
    expect(await files.read([root], join(root, "lines.txt"), range)).toBe(expected);
  });

  it("follows a link that stays inside, and a root that is a link", async () => {
    expect(await files.read([root], join(root, "link-in"))).toContain("one");
    expect(await files.read([join(top, "alias")], join(top, "alias", "lines.txt"))).toContain(
      "one",
    );
  });

  it("takes any of several roots, also when one does not exist", async () => {
    expect(await files.read([join(top, "gone"), root], join(root, "lines.txt"))).toContain("one");
  });

  it.each<[string, () => string, number]>([
    ["a file outside", () => join(outside, "secret"), -32602],
    ["a way out by dots", () => `${root}/../outside/secret`, -32602],
    ["a directory whose name begins alike", () => join(top, "root-like", "secret"), -32602],
    ["a link that leads out", () => join(root, "link-out"), -32602],
    ["a directory that leads out", () => join(root, "dir-out", "secret"), -32602],
    ["a relative path", () => "lines.txt", -32602],
    ["a path with NUL", () => `${root}/lines.txt\0`, -32602],
    ["a directory", () => join(root, "sub"), -32602],
    ["a pipe, without waiting for it", () => join(root, "pipe"), -32602],
    ["a file that is too large", () => join(root, "large.txt"), -32602],
    ["a file below a file", () => join(root, "lines.txt", "x"), -32002],
    ["a file that is not there", () => join(root, "missing"), -32002],
  ])("refuses %s", async (_, path, code) => {
    const error = await rejection(files.read([root], path()));
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code });
  });

  it("refuses everything without roots", async () => {
    expect(await rejection(files.read([], join(root, "lines.txt")))).toMatchObject({
      code: -32602,
    });
  });
});

describe("writing", () => {
  it("makes a file, and the directories above it, and replaces its content", async () => {
    const path = join(root, "new", "deep", "file.txt");
    await files.write([root], path, "first, longer");
    await files.write([root], path, "second");
    expect(await readFile(path, "utf8")).toBe("second");
  });

  it("goes through a link that stays inside", async () => {
    await writeFile(join(root, "target"), "old");
    await symlink(join(root, "target"), join(root, "link-to-target"));
    await files.write([root], join(root, "link-to-target"), "new");
    expect(await readFile(join(root, "target"), "utf8")).toBe("new");
  });

  it.each<[string, () => string]>([
    ["a file outside", () => join(outside, "new")],
    ["a way out by dots", () => `${root}/../outside/new`],
    [
      "a way out by dots below a directory that does not exist",
      () => `${root}/nope/../../outside/new`,
    ],
    ["a link that leads out", () => join(root, "link-out")],
    ["a link that leads to nothing outside", () => join(root, "dangling")],
    ["a directory that leads out", () => join(root, "dir-out", "new")],
    ["a directory to be made below one that leads out", () => join(root, "dir-out", "made", "new")],
    ["a relative path", () => "new"],
    ["a directory", () => join(root, "sub")],
    ["a pipe", () => join(root, "pipe")],
  ])("refuses %s", async (_, path) => {
    expect(await rejection(files.write([root], path(), "x"))).toMatchObject({ code: -32602 });
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret");
    expect(execFileSync("ls", ["-A", outside], { encoding: "utf8" })).toBe("secret\n");
  });
});

describe("a directory that becomes a link while files are opened in it", () => {
  it("never leads out", async () => {
    const real = join(root, "swapped");
    const aside = join(root, "aside");
    await mkdir(real);
    await writeFile(join(real, "secret"), "harmless");
    let swapping = true;
    const swap = (async () => {
      while (swapping) {
        await rename(real, aside).catch(() => {});
        // A write may have made the directory anew meanwhile.
        await symlink(outside, real).catch(() => {});
        // A write may put something into it while it is removed.
        await rm(real, { recursive: true, force: true }).catch(() => {});
        await rename(aside, real).catch(() => mkdir(real, { recursive: true }));
      }
    })();
    const read = new Set<string>();
    for (let round = 0; round < 500; round++) {
      await files.read([root], join(real, "secret")).then(
        (text) => read.add(text),
        () => {},
      );
      await files.write([root], join(real, "made"), "x").catch(() => {});
    }
    swapping = false;
    await swap;
    expect([...read].filter((text) => text !== "harmless")).toEqual([]);
    expect(execFileSync("ls", ["-A", outside], { encoding: "utf8" })).toBe("secret\n");
  });
});
