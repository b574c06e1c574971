import { mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { OfferAllowance, type OfferPolicy, offerContent } from "@acp-kit/router/attachments";
import { beforeEach, describe, expect, it } from "vitest";
import { samples } from "./samples.ts";

let workspace = "";
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), "content-")));
});

const policy = (allowance = new OfferAllowance()): OfferPolicy => ({
  cwd: workspace,
  roots: [workspace],
  allowance,
});

describe("offerContent", () => {
  it("offers the bytes of pictures and sound, with the type that they have", async () => {
    const png = samples.png.toString("base64");
    const picture = await offerContent(
      { type: "image", data: png, mimeType: "image/jpeg" },
      policy(),
    );
    expect(picture).toMatchObject({
      kind: "offered",
      contentType: "image/png",
      name: expect.stringMatching(/^attachment-[0-9a-f]{8}\.png$/),
      bytes: samples.png.length,
    });
    if (picture.kind !== "offered") return;
    for await (const chunk of picture.stream()) expect(chunk).toEqual(samples.png);
    const data = samples.mp3.toString("base64");
    const sound = await offerContent({ type: "audio", data, mimeType: "audio/mpeg" }, policy());
    expect(sound).toMatchObject({ contentType: "audio/mpeg" });
  });

  it("offers embedded text and bytes under the last name of their URI", async () => {
    const text = { uri: "file:///elsewhere/a%20b.md", text: "hello", mimeType: "text/markdown" };
    expect(await offerContent({ type: "resource", resource: text }, policy())).toMatchObject({
      kind: "offered",
      name: "a b.md",
      contentType: "text/markdown",
      bytes: 5,
    });
    const blob = { uri: "x:/%2e%2e%2f", blob: samples.pdf.toString("base64") };
    expect(await offerContent({ type: "resource", resource: blob }, policy())).toMatchObject({
      kind: "offered",
      name: expect.stringMatching(/^attachment-[0-9a-f]{8}\.pdf$/),
    });
  });

  it("a link to a file is judged like the file, and a link to another host's file is none (C19)", async () => {
    const file = path.join(workspace, "a b.txt");
    await writeFile(file, "hello");
    await writeFile(path.join(workspace, ".env"), "secret");
    const link = (uri: string) =>
      offerContent({ type: "resource_link", uri, name: "n.txt" }, policy());
    const offer = await link(pathToFileURL(file).href);
    expect(offer).toMatchObject({ kind: "offered", path: file, name: "n.txt" });
    if (offer.kind === "offered") await offer[Symbol.asyncDispose]();
    expect(await link(pathToFileURL(path.join(workspace, ".env")).href)).toMatchObject({
      reason: "secret",
    });
    expect(await link("file:///etc/passwd")).toMatchObject({ reason: "outside" });
    expect(await link("file://elsewhere/etc/passwd")).toMatchObject({ reason: "path" });
    expect(await link("FILE:///etc/%00")).toMatchObject({ kind: "refused" });
  });

  it.each(["https://files.example/a", "http://127.0.0.1/", "data:text/plain,a", "nonsense"])(
    "%s stays a link (C21)",
    async (uri) => {
      const block = { type: "resource_link", uri, name: "n" } as const;
      expect(await offerContent(block, policy())).toEqual({ kind: "link", uri, name: "n" });
    },
  );

  it("bytes are counted like files", async () => {
    const allowance = new OfferAllowance({ files: 1, maxFileBytes: 5 });
    const text = (body: string) =>
      offerContent({ type: "resource", resource: { uri: "", text: body } }, policy(allowance));
    expect(await text("123456")).toMatchObject({ reason: "too-large" });
    const data = Buffer.alloc(100).toString("base64");
    expect(
      await offerContent({ type: "image", data, mimeType: "image/png" }, policy(allowance)),
    ).toMatchObject({ reason: "too-large" });
    expect(await text("12345")).toMatchObject({ kind: "offered" });
    expect(await text("1")).toMatchObject({ reason: "spent" });
  });
});
