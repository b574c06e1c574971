import { clampAttachmentLimits, DEFAULT_ATTACHMENT_LIMITS } from "@acp-kit/router/attachments";
import { describe, expect, it } from "vitest";

const HOUR_MS = 60 * 60 * 1000;

describe("clampAttachmentLimits", () => {
  it("gives 3 MiB inline, 100 MiB a file and 30 days when nothing is wanted", () => {
    const { limits, warnings } = clampAttachmentLimits({}, HOUR_MS);
    expect(limits).toEqual(DEFAULT_ATTACHMENT_LIMITS);
    expect(limits).toMatchObject({
      maxInlineBytes: 3_145_728,
      maxFileBytes: 104_857_600,
      ttlMs: 2_592_000_000,
    });
    expect(warnings).toEqual([]);
  });

  it("takes what is wanted", () => {
    const wanted = { maxInlineBytes: 0, maxFileBytes: 5, quotaBytes: 10, ttlMs: 2 * HOUR_MS };
    expect(clampAttachmentLimits(wanted, HOUR_MS)).toEqual({ limits: wanted, warnings: [] });
  });

  it("keeps files as long as sessions, and says so", () => {
    const { limits, warnings } = clampAttachmentLimits({ ttlMs: 1 }, HOUR_MS);
    expect(limits.ttlMs).toBe(HOUR_MS);
    expect(warnings).toEqual(["ttlMs is 3600000 instead of 1."]);
  });

  it.each([
    [{ maxFileBytes: -1 }, { maxFileBytes: 1 }],
    [{ maxFileBytes: Number.POSITIVE_INFINITY }, { maxFileBytes: 1_073_741_824 }],
    [{ maxInlineBytes: Number.NaN }, { maxInlineBytes: 3_145_728 }],
    [{ maxInlineBytes: 1.5 }, { maxInlineBytes: 1 }],
    [{ quotaBytes: 5 }, { quotaBytes: 104_857_600 }],
  ])("%j is clamped to %j with a warning", (wanted, limits) => {
    const clamped = clampAttachmentLimits(wanted, HOUR_MS);
    expect(clamped.limits).toMatchObject(limits);
    expect(clamped.warnings).toHaveLength(1);
  });
});
