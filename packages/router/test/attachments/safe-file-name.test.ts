import { MAX_NAME_BYTES, safeFileName } from "@acp-kit/router/attachments";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberedName, safeDirectoryName } from "../../src/attachments/safe-file-name.ts";

const fallback = { source: "https://files.example/1", contentType: "image/png" };

/** Names as bad people write them, and any others. */
const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc
    .array(fc.constantFrom("..", ".", "/", "\\", "\0", "a", "é", "🏛️", "\u202e", "\n", ".git", " "))
    .map((parts) => parts.join("")),
);

describe("safeFileName", () => {
  it.each([
    ["photo.jpg", "photo.jpg"],
    ["Bericht März 2026.pdf", "Bericht März 2026.pdf"],
    ["写真.png", "写真.png"],
    ["..a", "_..a"],
    [".git", "_.git"],
    [".env", "_.env"],
    ["a\nb\u0000.txt", "ab.txt"],
    ["\u202egpj.exe", "gpj.exe"],
    ["a\u200bb", "ab"],
    [" a .txt ", "a .txt"],
    ["a.txt. .", "a.txt"],
    ["e\u0301", "\u00e9"],
  ])("%j becomes %j", (given, name) => {
    expect(safeFileName(given, fallback)).toBe(name);
  });

  it.each(["", ".", "..", " .. ", "...", "\u200b", "../x", "/etc/passwd", "a/b", "..\\x", "C:\\x"])(
    "%j is replaced by a name of its own",
    (given) => {
      const name = safeFileName(given, fallback);
      expect(name).toMatch(/^attachment-[0-9a-f]{8}\.png$/);
    },
  );

  it.each([
    ["image/jpeg", ".jpg"],
    ["TEXT/PLAIN; charset=utf-8", ".txt"],
    ["", ".bin"],
    ["no/such", ".bin"],
    ["constructor", ".bin"],
  ])("without a name the type %j gives %j", (contentType, extension) => {
    expect(safeFileName("", { ...fallback, contentType })).toMatch(
      new RegExp(`^attachment-[0-9a-f]{8}\\${extension}$`),
    );
  });

  it("a long name keeps its extension", () => {
    const name = safeFileName(`${"ä".repeat(300)}.tar`, fallback);
    expect(name).toMatch(/^ä+\.tar$/);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES);
    expect(Buffer.byteLength(name)).toBeGreaterThan(MAX_NAME_BYTES - 2);
  });

  it("any name is a file of its directory, visible, short and well-formed, with any number", () => {
    fc.assert(
      fc.property(anyName, fc.integer({ min: 1, max: 100 }), (given, count) => {
        const name = numberedName(safeFileName(given, fallback), count);
        expect(name).toMatch(/^[^./\\][^/\\]*$/u);
        expect(name).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(name.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES);
      }),
    );
  });

  it("a name that was made safe stays as it is", () => {
    fc.assert(
      fc.property(anyName, (given) => {
        const name = safeFileName(given, fallback);
        expect(safeFileName(name, fallback)).toBe(name);
      }),
    );
  });

  it("the numbered names of one name are different", () => {
    fc.assert(
      fc.property(anyName, (given) => {
        const name = safeFileName(given, fallback);
        const names = Array.from({ length: 20 }, (_, at) => numberedName(name, at + 1));
        expect(new Set(names).size).toBe(20);
      }),
    );
  });

  it("a number stands before the extension", () => {
    expect(numberedName("a.txt", 1)).toBe("a.txt");
    expect(numberedName("a.txt", 2)).toBe("a-2.txt");
    expect(numberedName("a", 3)).toBe("a-3");
  });
});

describe("safeDirectoryName", () => {
  it("any id is one directory, and different ids are different ones", () => {
    fc.assert(
      fc.property(anyName, anyName, (one, other) => {
        const name = safeDirectoryName(one);
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/);
        if (one !== other) expect(safeDirectoryName(other)).not.toBe(name);
      }),
    );
  });
});
