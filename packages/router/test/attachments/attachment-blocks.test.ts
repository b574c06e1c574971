import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AttachmentErrorCode, IncomingFile } from "@acp-kit/router/attachments";
import { createAttachmentBlocks } from "@acp-kit/router/attachments";
import { beforeEach, describe, expect, it } from "vitest";
import { samples } from "./samples.ts";

const all = { image: true, audio: true, embeddedContext: true };
const limits = { maxInlineImageBytes: 1000 };

let dir = "";
beforeEach(async () => {
  dir = await realpath(await mkdtemp(path.join(tmpdir(), "blocks é-")));
});

/** A file as it is after it was kept. */
async function kept(name: string, contentType: string, body: Buffer, more: object = {}) {
  const attachment = { url: "https://files.example/1", name, contentType, parsedContent: "" };
  const place = path.join(dir, name);
  await writeFile(place, body);
  const file = { kind: "kept", attachment, path: place, name, contentType, bytes: body.length };
  return { ...file, ...more, attachment: { ...attachment, ...more } } as IncomingFile & {
    path: string;
  };
}

function missed(code: AttachmentErrorCode, name = "a.bin"): IncomingFile {
  const attachment = { url: "https://files.example/1", name, contentType: "", parsedContent: "" };
  return { kind: "missed", attachment, code };
}

/** What the agent is told of a file that is not there. */
const told = (name: string) => ({
  type: "text",
  text: expect.stringMatching(
    `^\\(Files of this message that could not be had: "${name}" \\(.+\\)\\.\\)$`,
  ),
});

describe("createAttachmentBlocks", () => {
  it("links to the kept original, and shows the picture behind the link", async () => {
    const file = await kept("a b.png", "image/png", samples.png);
    const uri = pathToFileURL(file.path).href;
    expect(uri).toMatch(/^file:\/\/\/.*blocks%20%C3%A9-.*a%20b\.png$/);
    expect(await createAttachmentBlocks([file], all, limits)).toEqual({
      blocks: [
        { type: "resource_link", name: "a b.png", uri, mimeType: "image/png" },
        { type: "image", data: samples.png.toString("base64"), mimeType: "image/png" },
      ],
    });
  });

  it("puts what the platform read before the link, and only for an agent that takes it", async () => {
    const file = await kept("a.pdf", "application/pdf", samples.pdf, { parsedContent: "words" });
    const link = {
      type: "resource_link",
      name: "a.pdf",
      uri: pathToFileURL(file.path).href,
      mimeType: "application/pdf",
    };
    const resource = { uri: link.uri, text: "words", mimeType: "text/plain" };
    expect(await createAttachmentBlocks([file], all, limits)).toEqual({
      blocks: [{ type: "resource", resource }, link],
    });
    expect(await createAttachmentBlocks([file], undefined, limits)).toEqual({ blocks: [link] });
  });

  it("cuts a long text at 200,000 characters, between characters, and links to the whole", async () => {
    const parsedContent = `${"x".repeat(199_999)}🏛️${"y".repeat(10)}`;
    const textPath = path.join(dir, "a.pdf.txt");
    const file = await kept("a.pdf", "application/pdf", samples.pdf, { parsedContent, textPath });
    const { blocks } = await createAttachmentBlocks([file], all, limits);
    const [resource, , whole] = blocks;
    expect(resource).toMatchObject({
      resource: {
        text: `${"x".repeat(199_999)}\n(13 more characters are left out; the whole text is in the file that is linked below.)`,
      },
    });
    expect(whole).toMatchObject({ type: "resource_link", uri: pathToFileURL(textPath).href });
  });

  it.each([
    ["image/png", { image: false }, "the agent takes no images"],
    ["image/png", undefined, "the agent takes no images"],
    ["image/heic", all, "models take no image/heic"],
    ["audio/mpeg", { image: true }, "the agent takes no sound"],
  ])(
    "says that a file of %s was saved and not shown to an agent with %j",
    async (type, capabilities, why) => {
      const file = await kept("photo", type, samples.png);
      const { blocks, unseen } = await createAttachmentBlocks([file], capabilities, limits);
      expect(blocks.map((block) => block.type)).toEqual(["resource_link"]);
      expect(unseen).toBe(`Not shown to the model: photo, 70 bytes (saved, but ${why}).`);
    },
  );

  it("shows a picture of exactly the cap, and says of a larger one that it is too large", async () => {
    const fits = await kept("fits.png", "image/png", Buffer.alloc(1000));
    const over = await kept("over.png", "image/png", Buffer.alloc(1001));
    const { blocks, unseen } = await createAttachmentBlocks([fits, over], all, limits);
    expect(blocks.map((block) => block.type)).toEqual(["resource_link", "image", "resource_link"]);
    expect(unseen).toBe(
      "Not shown to the model: over.png, 1001 bytes (saved, but larger than 1000 bytes).",
    );
  });

  it("passes sound on to an agent that takes it", async () => {
    const file = await kept("a.mp3", "audio/mpeg", samples.mp3);
    const { blocks } = await createAttachmentBlocks([file], all, limits);
    expect(blocks[1]).toEqual({
      type: "audio",
      data: samples.mp3.toString("base64"),
      mimeType: "audio/mpeg",
    });
  });

  it("says nothing of a file that nobody expects to be shown", async () => {
    const file = await kept("a.zip", "application/zip", samples.zip);
    expect((await createAttachmentBlocks([file], all, limits)).unseen).toBeUndefined();
  });

  it("goes on without a picture that has gone meanwhile", async () => {
    const file = await kept("a.png", "image/png", samples.png);
    await rm(file.path);
    const { blocks, unseen } = await createAttachmentBlocks([file], all, limits);
    expect(blocks).toHaveLength(1);
    expect(unseen).toMatch(/it cannot be read any more/);
  });

  it("sends no picture that a link was put in place of", async () => {
    const secret = await kept("secret.png", "image/png", samples.png);
    const file = await kept("a.png", "image/png", samples.png);
    await rm(file.path);
    await symlink(secret.path, file.path);
    const { blocks } = await createAttachmentBlocks([file], all, limits);
    expect(blocks.map((block) => block.type)).toEqual(["resource_link"]);
  });

  it.each(["status", "network", "timeout", "too-large", "quota", "unwritable"] as const)(
    "passes the original URL on when the file was missed because of %s",
    async (code) => {
      const { blocks, unseen } = await createAttachmentBlocks([missed(code)], all, limits);
      expect(blocks).toEqual([
        { type: "resource_link", name: "a.bin", uri: "https://files.example/1" },
        told("a.bin"),
      ]);
      expect(unseen).toMatch(/^Not shown to the model: a\.bin \(.+\)\.$/);
    },
  );

  it.each(["url", "host", "address", "redirects"] as const)(
    "hands the agent no URL that was refused with %s (C23)",
    async (code) => {
      const { blocks, unseen } = await createAttachmentBlocks([missed(code)], all, limits);
      expect(blocks).toEqual([told("a.bin")]);
      expect(unseen).toMatch(/^Not shown to the model: a\.bin \(.+\)\.$/);
    },
  );

  it.each([
    ["network", "https://files.example/1"],
    ["host", "attachment:a%20b.pdf"],
  ] as const)(
    "shows what the platform read of a file that was missed because of %s",
    async (code, uri) => {
      const file = missed(code, "a b.pdf");
      const read = { ...file, attachment: { ...file.attachment, parsedContent: "words" } };
      const { blocks, unseen } = await createAttachmentBlocks([read], all, limits);
      expect(blocks[0]).toEqual({
        type: "resource",
        resource: { uri, text: "words", mimeType: "text/plain" },
      });
      expect(blocks.slice(1).map((block) => block.type)).toEqual(
        code === "network" ? ["resource_link", "text"] : ["text"],
      );
      expect(unseen).toMatch(/^Not shown to the model: a b\.pdf \(only its text is; it .+\)\.$/);
      const plain = await createAttachmentBlocks([read], undefined, limits);
      expect(plain.blocks.map((block) => block.type)).not.toContain("resource");
      expect(plain.unseen).not.toContain("only its text");
    },
  );

  it("shows what the platform read of a file whose name is half a character", async () => {
    const file = missed("host", "\ud800");
    const read = { ...file, attachment: { ...file.attachment, parsedContent: "words" } };
    const { blocks } = await createAttachmentBlocks([read], all, limits);
    expect(blocks[0]).toMatchObject({ resource: { uri: "attachment:%EF%BF%BD" } });
  });

  it("says why in the words of whoever has the file, to the person and to the agent", async () => {
    const reason = "it is kept outside of the platform, at docs.example";
    const file = { ...missed("unavailable", 'a"b'), reason } as IncomingFile;
    const { blocks, unseen } = await createAttachmentBlocks([file], all, limits);
    expect(unseen).toBe(`Not shown to the model: a"b (${reason}).`);
    expect(blocks.at(-1)).toEqual({
      type: "text",
      text: `(Files of this message that could not be had: "a\\"b" (${reason}).)`,
    });
  });

  it("shows the platform's version of a picture in its place, and links to both", async () => {
    const rendition = await kept("photo.heic.jpg", "image/jpeg", samples.jpeg);
    const file = await kept("photo.heic", "image/heic", samples.noise, { rendition });
    const { blocks, unseen } = await createAttachmentBlocks([file], all, limits);
    expect(unseen).toBeUndefined();
    expect(blocks).toEqual([
      expect.objectContaining({ uri: pathToFileURL(file.path).href, mimeType: "image/heic" }),
      expect.objectContaining({ uri: pathToFileURL(rendition.path).href, mimeType: "image/jpeg" }),
      { type: "image", data: samples.jpeg.toString("base64"), mimeType: "image/jpeg" },
    ]);
  });

  it("says why not even the platform's version of a picture was shown", async () => {
    const rendition = await kept("big.jpg", "image/jpeg", Buffer.alloc(1001));
    const file = await kept("photo.heic", "image/heic", samples.noise, { rendition });
    const { unseen } = await createAttachmentBlocks([file], all, limits);
    expect(unseen).toMatch(/photo\.heic, 8 bytes \(saved, but larger than 1000 bytes\)/);
  });

  it("says all that was not shown in one sentence on one line", async () => {
    const files = [
      missed("status", "a\n\u202eb"),
      missed("timeout", ""),
      missed("host", "x".repeat(300)),
    ];
    const { unseen } = await createAttachmentBlocks(files, all, limits);
    expect(unseen).toBe(
      `Not shown to the model: ab (it could not be fetched: the server refused it), a file (it could not be fetched: the server took too long), ${"x".repeat(100)} (it is not at a place that files are fetched from).`,
    );
  });
});
