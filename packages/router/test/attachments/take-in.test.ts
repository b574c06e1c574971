import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createDownloads,
  DEFAULT_ATTACHMENT_LIMITS,
  type IncomingFile,
  type IntakePlace,
  sweepFiles,
  takeInAttachments,
} from "@acp-kit/router/attachments";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { loopbackPolicy, startFileServer } from "./file-server.ts";
import { samples } from "./samples.ts";

let root = "";
let filesDir = "";
let outside = "";

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "attachments-"));
  filesDir = path.join(root, "files", "conversation");
  outside = path.join(root, "outside");
  await mkdir(outside);
});

/** Starts a server that serves bodies by path, and takes in a message with one file per URL. */
async function takeIn(
  bodies: Readonly<Record<string, string | Buffer>>,
  files: readonly {
    path: string;
    name?: string;
    contentType?: string;
    parsedContent?: string;
    /** A path too. */
    rendition?: string;
  }[],
  more: {
    messageId?: string;
    content?: string;
    onRequest?: () => Promise<void>;
  } & Partial<IntakePlace> = {},
): Promise<readonly IncomingFile[]> {
  await using server = await startFileServer((request, response) => {
    void (async () => {
      const body = bodies[request.url ?? ""];
      if (body === undefined) response.writeHead(404);
      const half = Math.ceil((body?.length ?? 0) / 2);
      if (body !== undefined)
        await new Promise((done) => response.write(body.slice(0, half), done));
      await more.onRequest?.();
      response.end(body?.slice(half));
    })();
  });
  await using downloads = createDownloads(loopbackPolicy(server.port));
  const { messageId = "message-1", content = "look", onRequest: _, ...place } = more;
  const attachments = files.map(({ rendition, ...file }) => ({
    name: path.posix.basename(file.path),
    contentType: "",
    parsedContent: "",
    ...file,
    url: server.url + file.path,
    ...(rendition !== undefined && { renditionUrl: server.url + rendition }),
  }));
  return await takeInAttachments(
    { role: "user", content, messageId, attachments },
    { filesDir, downloads, limits: DEFAULT_ATTACHMENT_LIMITS, ...place },
  );
}

/** Every file below a directory. */
async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((one) => !one.isDirectory())
    .map((one) => path.join(one.parentPath, one.name));
}

const isMissed = (code: string) => expect.objectContaining({ kind: "missed", code });

describe("taking in attachments", () => {
  it("keeps the bytes as 0600 in a directory of 0700, under a file of the message", async () => {
    const [file] = await takeIn({ "/a.png": samples.png }, [
      { path: "/a.png", contentType: "text/plain" },
    ]);
    expect(file).toMatchObject({
      kind: "kept",
      path: path.join(filesDir, "message-1", "a.png"),
      name: "a.png",
      contentType: "image/png",
      bytes: samples.png.length,
    });
    const kept = path.join(filesDir, "message-1", "a.png");
    expect(await readFile(kept)).toEqual(samples.png);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    expect((await stat(filesDir)).mode & 0o777).toBe(0o700);
    expect((await stat(path.dirname(kept))).mode & 0o777).toBe(0o700);
  });

  it("numbers names that are the same, and never overwrites", async () => {
    const bodies = { "/1": "one", "/2": "two", "/3": "three" };
    const files = [1, 2, 3].map((n) => ({ path: `/${n}`, name: "a.txt" }));
    const taken = await takeIn(bodies, files);
    expect(taken.map((file) => file.kind === "kept" && file.name)).toEqual([
      "a.txt",
      "a-2.txt",
      "a-3.txt",
    ]);
    expect(await readFile(path.join(filesDir, "message-1", "a-2.txt"), "utf8")).toBe("two");
  });

  it("leaves its directory for no name and no message id", async () => {
    const names = ["../../x", "/etc/x", "..", "a/b", "x\0y", "a\\..\\b", ".git"];
    for (const messageId of ["../../../evil", "/evil", "..", "a/b", "\0", "x".repeat(500)]) {
      const files = names.map((name) => ({ path: "/a", name }));
      const taken = await takeIn({ "/a": "body" }, files, { messageId });
      for (const file of taken) {
        expect(file).toMatchObject({ kind: "kept", path: expect.stringMatching(filesDir) });
      }
    }
    const all = await filesBelow(root);
    expect(all).toHaveLength(6 * names.length);
    expect(all.every((file) => path.dirname(path.dirname(file)) === filesDir)).toBe(true);
  });

  it("tells messages without an id apart by what they say", async () => {
    const place = async (content: string) => {
      const [file] = await takeIn({ "/a": "body" }, [{ path: "/a" }], { messageId: "", content });
      return file?.kind === "kept" ? path.dirname(file.path) : "";
    };
    expect(path.basename(await place("hello"))).toBe("anon-2cf24dba");
    expect(await place("other")).not.toBe(await place("hello"));
  });

  it("keeps the platform's version beside what is no picture that can be shown, and only there", async () => {
    const bodies = {
      "/a.heic": Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
      "/thumb": samples.jpeg,
      "/a.png": samples.png,
      "/a.docx": samples.zip,
      "/converted": samples.pdf,
    };
    const limits = { ...DEFAULT_ATTACHMENT_LIMITS, maxInlineImageBytes: samples.png.length };
    const taken = await takeIn(
      bodies,
      [
        { path: "/a.heic", rendition: "/thumb" },
        { path: "/a.png", rendition: "/thumb" },
        { path: "/a.docx", rendition: "/converted" },
        { path: "/a.heic", name: "b.heic", rendition: "/gone" },
      ],
      { limits },
    );
    expect(taken.map((file) => file.kind === "kept" && [file.name, file.rendition?.name])).toEqual([
      ["a.heic", "a.heic.bin"],
      ["a.png", undefined],
      ["a.docx", "a.docx.bin"],
      ["b.heic", undefined],
    ]);
    expect(taken[0]).toMatchObject({
      contentType: "image/heic",
      rendition: { contentType: "image/jpeg", bytes: samples.jpeg.length },
    });
    const tight = { ...limits, maxInlineImageBytes: samples.png.length - 1 };
    const [large] = await takeIn(bodies, [{ path: "/a.png", rendition: "/thumb" }], {
      limits: tight,
    });
    expect(large).toMatchObject({ rendition: { contentType: "image/jpeg" } });
  });

  it("takes twenty files of a message, and misses the rest", async () => {
    const files = Array.from({ length: 22 }, (_, at) => ({ path: "/a", name: `${at}.txt` }));
    const taken = await takeIn({ "/a": "body" }, files);
    expect(taken.slice(0, 20).every(({ kind }) => kind === "kept")).toBe(true);
    expect(taken.slice(20)).toEqual([isMissed("too-many"), isMissed("too-many")]);
  });

  it("goes on with the next file when one is missed", async () => {
    const taken = await takeIn({ "/b": "body" }, [{ path: "/gone" }, { path: "/b" }]);
    expect(taken).toEqual([isMissed("status"), expect.objectContaining({ kind: "kept" })]);
  });

  it("skips files without a URL, and makes no directory for a message without files", async () => {
    await using downloads = createDownloads(loopbackPolicy(1));
    const place = { filesDir, downloads, limits: DEFAULT_ATTACHMENT_LIMITS };
    const attachment = { url: "", name: "a", contentType: "", parsedContent: "" };
    const message = { role: "user", content: "", messageId: "1", attachments: [attachment] };
    expect(await takeInAttachments(message, place)).toEqual([]);
    await expect(stat(filesDir)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("removes what is over the cap of a file or the quota of the conversation", async () => {
    const limits = {
      ...DEFAULT_ATTACHMENT_LIMITS,
      maxAttachmentBytes: 10,
      attachmentQuotaBytes: 12,
    };
    const bodies = {
      "/large": "x".repeat(11),
      "/fits": "x".repeat(8),
      "/more": "x".repeat(5),
      "/end": "x".repeat(4),
    };
    const files = Object.keys(bodies).map((place) => ({ path: place }));
    const taken = await takeIn(bodies, files, { limits });
    expect(taken.map((file) => (file.kind === "missed" ? file.code : file.name))).toEqual([
      "too-large",
      "fits",
      "quota",
      "end",
    ]);
    expect((await filesBelow(filesDir)).map((file) => path.basename(file)).sort()).toEqual([
      "end",
      "fits",
    ]);
    // What earlier messages left counts.
    const later = await takeIn({ "/a": "x" }, [{ path: "/a" }], { limits, messageId: "later" });
    expect(later).toEqual([isMissed("quota")]);
  });

  it("keeps nothing inside a git checkout, nor in a worktree of one", async () => {
    const checkout = path.join(root, "checkout");
    await mkdir(path.join(checkout, ".git"), { recursive: true });
    await mkdir(outside, { recursive: true });
    await writeFile(path.join(outside, ".git"), "gitdir: elsewhere");
    await symlink(checkout, path.join(root, "link"));
    for (const place of [
      path.join(checkout, "files"),
      path.join(outside, "files"),
      path.join(root, "link"),
    ]) {
      const taken = await takeIn({ "/a": "body" }, [{ path: "/a" }], { filesDir: place });
      expect(taken).toEqual([isMissed("inside-checkout")]);
    }
  });

  it("keeps all of a text that is too long for a prompt", async () => {
    const parsedContent = "🏛️ text ".repeat(40_000);
    const [file] = await takeIn({ "/a.pdf": samples.pdf }, [{ path: "/a.pdf", parsedContent }]);
    expect(file).toMatchObject({ kind: "kept", name: "a.pdf", contentType: "application/pdf" });
    const textPath = path.join(filesDir, "message-1", "a.pdf.txt");
    expect(file).toMatchObject({ textPath });
    expect(await readFile(textPath, "utf8")).toBe(parsedContent);
  });

  it("stops when it is told to", async () => {
    const stop = new AbortController();
    const onRequest = async () => stop.abort();
    const taken = await takeIn({ "/a": "body" }, [{ path: "/a" }], {
      onRequest,
      signal: stop.signal,
    });
    expect(taken).toEqual([isMissed("stopped")]);
    expect(await filesBelow(filesDir)).toEqual([]);
  });
});

describe("an agent that plants links in the directory of files", () => {
  it("gets nothing written through the message's directory", async () => {
    await mkdir(filesDir, { recursive: true });
    await symlink(outside, path.join(filesDir, "message-1"));
    expect(await takeIn({ "/a": "body" }, [{ path: "/a" }])).toEqual([isMissed("unwritable")]);
    expect(await filesBelow(outside)).toEqual([]);
  });

  it("gets nothing written through the file's own name", async () => {
    await mkdir(path.join(filesDir, "message-1"), { recursive: true });
    await writeFile(path.join(outside, "target"), "untouched");
    await symlink(path.join(outside, "target"), path.join(filesDir, "message-1", "a"));
    await symlink(path.join(outside, "new"), path.join(filesDir, "message-1", "a-2"));
    const [file] = await takeIn({ "/a": "body" }, [{ path: "/a" }]);
    expect(file).toMatchObject({ kind: "kept", name: "a-3" });
    expect(await filesBelow(outside)).toEqual([path.join(outside, "target")]);
    expect(await readFile(path.join(outside, "target"), "utf8")).toBe("untouched");
  });

  it.each([
    ["message's", () => path.join(filesDir, "message-1")],
    ["conversation's", () => filesDir],
  ])(
    "gets nothing written outside when the %s directory is swapped during a download",
    async (_name, swapped) => {
      const onRequest = async () => {
        await vi.waitFor(() => access(path.join(filesDir, "message-1", "a")));
        await rename(swapped(), path.join(root, "aside"));
        await symlink(outside, swapped());
      };
      const taken = await takeIn({ "/a": "x".repeat(100_000) }, [{ path: "/a" }], {
        onRequest: once(onRequest),
      });
      expect(taken).toEqual([isMissed("unwritable")]);
      expect(await filesBelow(outside)).toEqual([]);
      expect(await filesBelow(path.join(root, "aside"))).toEqual([]);
    },
  );

  it("gets no path of a file that was replaced during its download", async () => {
    const kept = () => path.join(filesDir, "message-1", "a");
    const onRequest = once(async () => {
      await vi.waitFor(() => access(kept()));
      await rename(kept(), path.join(root, "aside"));
      await symlink("/etc/passwd", kept());
    });
    const taken = await takeIn({ "/a": "x".repeat(100_000) }, [{ path: "/a" }], { onRequest });
    expect(taken).toEqual([isMissed("unwritable")]);
  });
});

describe("sweepFiles", () => {
  const DAY_MS = 86_400_000;

  async function plant(file: string, ageDays: number, now: number): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "body");
    const at = (now - ageDays * DAY_MS) / 1000;
    await utimes(file, at, at);
    await utimes(path.dirname(file), at, at);
  }

  it("removes old files and the directories that they leave empty, and nothing else", async () => {
    const now = Date.now();
    await plant(path.join(filesDir, "old", "a"), 31, now);
    await plant(path.join(filesDir, "mixed", "new"), 29, now);
    await plant(path.join(filesDir, "mixed", "a"), 31, now);
    await mkdir(path.join(filesDir, "fresh-and-empty"));
    expect(await sweepFiles(filesDir, 30 * DAY_MS, now)).toBe(2);
    expect((await readdir(filesDir)).sort()).toEqual(["fresh-and-empty", "mixed"]);
    expect(await readdir(path.join(filesDir, "mixed"))).toEqual(["new"]);
  });

  it("follows no link", async () => {
    const now = Date.now() + 60 * DAY_MS;
    await plant(path.join(outside, "precious"), 0, Date.now());
    await mkdir(filesDir, { recursive: true });
    await symlink(outside, path.join(filesDir, "message"));
    await symlink(path.join(outside, "precious"), path.join(filesDir, "file"));
    await sweepFiles(filesDir, 30 * DAY_MS, now);
    expect(await readdir(outside)).toEqual(["precious"]);
    expect(await readdir(filesDir)).toEqual([]);
  });

  it("finds nothing where nothing is", async () => {
    expect(await sweepFiles(path.join(root, "nowhere"), 1, Date.now())).toBe(0);
  });
});

function once(action: () => Promise<void>): () => Promise<void> {
  let done = false;
  return async () => {
    if (!done) await action();
    done = true;
  };
}
