import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Offer,
  OfferAllowance,
  type OfferPolicy,
  offerFile,
} from "@acp-kit/router/attachments";
import { beforeEach, describe, expect, it } from "vitest";
import { samples } from "./samples.ts";

let root = "";
let workspace = "";
let outside = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "offer-")));
  workspace = path.join(root, "workspace");
  outside = path.join(root, "outside");
  await mkdir(path.join(workspace, "sub"), { recursive: true });
  await mkdir(outside);
  await writeFile(path.join(outside, "secret.txt"), "secret");
});

function policy(more: Partial<OfferPolicy> = {}): OfferPolicy {
  return { cwd: workspace, roots: [workspace], allowance: new OfferAllowance(), ...more };
}

async function write(name: string, body: string | Buffer = "body"): Promise<string> {
  const file = path.join(workspace, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, body);
  return file;
}

/** Reads an offered file and closes it. */
async function read(offer: Offer): Promise<string> {
  if (offer.kind === "refused") throw new Error(offer.reason);
  await using file = offer;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.stream()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function reasonOf(given: string, more: Partial<OfferPolicy> = {}): Promise<string> {
  const offer = await offerFile(given, policy(more));
  if (offer.kind === "refused") return offer.reason;
  await offer[Symbol.asyncDispose]();
  return "offered";
}

describe("offerFile", () => {
  it("opens a file of the workspace by a relative and by an absolute path", async () => {
    const file = await write("sub/a.txt", "hello");
    for (const given of ["sub/a.txt", "./sub/../sub/a.txt", file]) {
      const offer = await offerFile(given, policy());
      expect(offer).toMatchObject({
        path: file,
        name: "a.txt",
        contentType: "text/plain",
        bytes: 5,
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      });
      expect(await read(offer)).toBe("hello");
    }
  });

  it("tells the type by the bytes, and makes the wanted name safe", async () => {
    await write("a.txt", samples.png);
    await using offer = (await offerFile("a.txt", policy(), "../x\n.png")) as Offer &
      AsyncDisposable;
    expect(offer).toMatchObject({
      contentType: "image/png",
      name: expect.stringMatching(/^attachment-[0-9a-f]{8}\.png$/),
    });
  });

  it.each(["", "\0", "a\0b"])("%j is no path", async (given) => {
    expect(await reasonOf(given)).toBe("path");
  });

  it("nothing outside its roots leaves, by whatever way (C19)", async () => {
    const secret = path.join(outside, "secret.txt");
    await symlink(secret, path.join(workspace, "link.txt"));
    await symlink(outside, path.join(workspace, "dir"));
    await symlink("../outside", path.join(workspace, "relative"));
    await symlink("link.txt", path.join(workspace, "twice.txt"));
    const beside = path.join(root, "workspace-2");
    await mkdir(beside);
    await writeFile(path.join(beside, "a"), "a");
    for (const given of [
      secret,
      "../outside/secret.txt",
      "link.txt",
      "twice.txt",
      "dir/secret.txt",
      "relative/secret.txt",
      "../workspace-2/a",
      "/etc/passwd",
      "/proc/self/environ",
      "/dev/null",
      ".",
      workspace,
    ]) {
      expect([given, await reasonOf(given)]).toEqual([given, "outside"]);
    }
    expect(await reasonOf("sub/a", { roots: [] })).toBe("missing");
    await write("sub/a");
    expect(await reasonOf("sub/a", { roots: [] })).toBe("outside");
  });

  it("a link within the roots is followed, and a root may be reached by a link", async () => {
    await write("sub/a.txt", "hello");
    await symlink("sub/a.txt", path.join(workspace, "link.txt"));
    await symlink(workspace, path.join(root, "alias"));
    expect(await read(await offerFile("link.txt", policy()))).toBe("hello");
    const alias = path.join(root, "alias");
    expect(await read(await offerFile("sub/a.txt", policy({ cwd: alias, roots: [alias] })))).toBe(
      "hello",
    );
  });

  it.each([
    ".env",
    ".env.local",
    ".ENV",
    "app/.env.production",
    ".git/config",
    ".git",
    "sub/.git/HEAD",
    ".ssh/config",
    "id_rsa",
    "keys/id_ed25519",
    "server.pem",
    "server.KEY",
    ".aws/credentials",
    ".npmrc",
    ".netrc",
    ".git-credentials",
    ".config/gh/hosts.yml",
    "a/.docker/config.json",
    "terraform.tfstate",
    "vault.kdbx",
  ])("%s never leaves (C19)", async (name) => {
    await write(name);
    expect(await reasonOf(name)).toBe("secret");
  });

  it.each([
    "environment.txt",
    "git/config",
    "key.txt",
    "my.envelope",
    ".github/workflows/ci.yml",
    ".gitignore",
  ])("%s may leave", async (name) => {
    await write(name);
    expect(await reasonOf(name)).toBe("offered");
  });

  it("a secret does not leave under the name of a link to it (C19)", async () => {
    await write(".env");
    await symlink(".env", path.join(workspace, "notes.txt"));
    expect(await reasonOf("notes.txt")).toBe("secret");
  });

  it("a private key does not leave under another name (C19)", async () => {
    const kind = "PRIVATE KEY";
    for (const mark of [
      `-----BEGIN ${kind}-----`,
      `-----BEGIN OPENSSH ${kind}-----`,
      `-----BEGIN PGP ${kind} BLOCK-----`,
    ]) {
      await write("notes.txt", `\n${mark}\nAAAA\n`);
      expect(await reasonOf("notes.txt")).toBe("secret");
    }
  });

  it.each([
    ["*.sql", "dump.sql", "secret"],
    ["*.sql", "sub/dump.sql", "secret"],
    ["*.sql", "dump.sql.txt", "offered"],
    ["private", "sub/private/a.txt", "secret"],
    ["sub/a*", "sub/abc.txt", "secret"],
    ["/sub/", "sub/abc.txt", "secret"],
    ["a.c", "abc", "offered"],
    ["(", "a(", "offered"],
  ])("the operator's pattern %s makes %s %s (C19)", async (pattern, name, reason) => {
    await write(name);
    expect(await reasonOf(name, { deny: [pattern] })).toBe(reason);
  });

  it("a file with several names does not leave (C19)", async () => {
    await link(path.join(outside, "secret.txt"), path.join(workspace, "a.txt"));
    expect(await reasonOf("a.txt")).toBe("linked");
  });

  it("directories, pipes and sockets are refused without waiting (C19)", async () => {
    execFileSync("mkfifo", [path.join(workspace, "pipe")]);
    const server = createServer();
    await new Promise<void>((done) => server.listen(path.join(workspace, "socket"), done));
    try {
      for (const name of ["sub", "pipe", "socket"]) expect(await reasonOf(name)).toBe("not-a-file");
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  it("the cap of a file and the allowance of a turn hold (C19)", async () => {
    await write("large", "x".repeat(11));
    await write("a", "x".repeat(10));
    const allowance = new OfferAllowance({ files: 3, maxFileBytes: 10, totalBytes: 25 });
    const reasons: string[] = [];
    for (const name of ["large", "a", "a", "a"]) reasons.push(await reasonOf(name, { allowance }));
    expect(reasons).toEqual(["too-large", "offered", "offered", "spent"]);
    const two = new OfferAllowance({ files: 1 });
    expect(await reasonOf("a", { allowance: two })).toBe("offered");
    expect(await reasonOf("a", { allowance: two })).toBe("spent");
  });

  it("what is read is what was offered, whatever stands at the path by then (C19)", async () => {
    const file = await write("a.txt", "hello");
    const offer = await offerFile("a.txt", policy());
    await rm(file);
    await symlink(path.join(outside, "secret.txt"), file);
    expect(await read(offer)).toBe("hello");
  });

  it("a file that is changed after it was offered fails instead of passing for it", async () => {
    for (const body of ["HELLO", "hell"]) {
      await write("a.txt", "hello");
      const offer = await offerFile("a.txt", policy());
      await write("a.txt", body);
      await expect(read(offer)).rejects.toThrow(/The file/);
    }
  });

  it("a path that is swapped all the time never leads outside (C19)", async () => {
    await write("real/a.txt", "inside");
    await writeFile(path.join(outside, "a.txt"), "secret");
    const place = path.join(workspace, "swapped");
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        await symlink(path.join(workspace, "real"), `${place}.new`);
        await rename(`${place}.new`, place);
        await symlink(outside, `${place}.new`);
        await rename(`${place}.new`, place);
      }
    })();
    try {
      for (let round = 0; round < 200; round += 1) {
        const offer = await offerFile("swapped/a.txt", policy());
        if (offer.kind === "offered") expect(await read(offer)).toBe("inside");
      }
    } finally {
      isOver = true;
      await swapping;
    }
  });
});
