import { describe, expect, it } from "vitest";
import { sniffType } from "../../src/attachments/sniff-type.ts";
import { samples } from "./samples.ts";

describe("sniffType", () => {
  it.each([
    ["png", "text/plain", "image/png"],
    ["png", "image/jpeg", "image/png"],
    ["png", "", "image/png"],
    ["jpeg", "image/png", "image/jpeg"],
    ["gif", "application/octet-stream", "image/gif"],
    ["pdf", "image/png", "application/pdf"],
    ["zip", "image/png", "application/zip"],
    ["zip", "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"],
    ["svg", "image/svg+xml", "image/svg+xml"],
    ["svg", "image/png", "application/xml"],
    ["text", "image/png", "text/plain"],
    ["text", "audio/mpeg", "text/plain"],
    ["text", "text/csv; charset=utf-8", "text/csv"],
    ["text", "application/json", "application/json"],
    ["text", "application/octet-stream", "text/plain"],
    ["text", "", "text/plain"],
    ["noise", "image/png", "application/octet-stream"],
    ["noise", "text/plain", "application/octet-stream"],
    ["noise", "application/wasm", "application/wasm"],
    ["empty", "image/png", "text/plain"],
  ] as const)("%s that is called %j is %s", async (sample, declared, type) => {
    expect(await sniffType(samples[sample], declared)).toBe(type);
  });

  it("text that is cut within a character is text", async () => {
    expect(await sniffType(Buffer.from("aé").subarray(0, 2), "")).toBe("text/plain");
  });
});
