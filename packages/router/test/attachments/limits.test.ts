import { clampAttachmentLimits, DEFAULT_ATTACHMENT_LIMITS } from "@acp-kit/router/attachments";
import { describe, expect, it } from "vitest";

const HOUR_MS = 60 * 60 * 1000;

describe("clampAttachmentLimits", () => {
  it("gives 3 MiB inline, 100 MiB a file and 30 days when nothing is wanted", () => {
    const { limits, warnings } = clampAttachmentLimits({}, HOUR_MS);
    expect(limits).toEqual(DEFAULT_ATTACHMENT_LIMITS);
    expect(limits).toMatchObject({
      maxInlineImageBytes: 3_145_728,
      maxAttachmentBytes: 104_857_600,
      attachmentTtlMs: 2_592_000_000,
    });
    expect(warnings).toEqual([]);
  });

  it("takes what is wanted", () => {
    const wanted = {
      maxInlineImageBytes: 0,
      maxAttachmentBytes: 5,
      attachmentQuotaBytes: 10,
      attachmentTtlMs: 2 * HOUR_MS,
    };
    expect(clampAttachmentLimits(wanted, HOUR_MS)).toEqual({ limits: wanted, warnings: [] });
  });

  it("keeps files as long as sessions, and says so", () => {
    const { limits, warnings } = clampAttachmentLimits({ attachmentTtlMs: 1 }, HOUR_MS);
    expect(limits.attachmentTtlMs).toBe(HOUR_MS);
    expect(warnings).toEqual(["attachmentTtlMs is 3600000 instead of 1."]);
  });

  it.each([
    [{ maxAttachmentBytes: -1 }, { maxAttachmentBytes: 1 }],
    [{ maxAttachmentBytes: Number.POSITIVE_INFINITY }, { maxAttachmentBytes: 1_073_741_824 }],
    [{ maxInlineImageBytes: Number.NaN }, { maxInlineImageBytes: 3_145_728 }],
    [{ maxInlineImageBytes: 1.5 }, { maxInlineImageBytes: 1 }],
    [{ attachmentQuotaBytes: 5 }, { attachmentQuotaBytes: 104_857_600 }],
  ])("%j is clamped to %j with a warning", (wanted, limits) => {
    const clamped = clampAttachmentLimits(wanted, HOUR_MS);
    expect(clamped.limits).toMatchObject(limits);
    expect(clamped.warnings).toHaveLength(1);
  });
});
