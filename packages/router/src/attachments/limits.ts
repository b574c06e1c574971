const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** How much of attachments is kept and shown. */
export type AttachmentLimits = {
  /** Largest image or sound that is shown to the model, in bytes. Default 3 MiB: as base64 it fits the smallest cap of a provider, 5 MB. */
  readonly maxInlineImageBytes: number;
  /** Largest file that is fetched, in bytes. Default 100 MiB. */
  readonly maxAttachmentBytes: number;
  /** All kept files of a conversation together, in bytes. Default 1 GiB. */
  readonly attachmentQuotaBytes: number;
  /** How long a file is kept. Default 30 days. */
  readonly attachmentTtlMs: number;
};

/** What holds where a router's config says nothing. */
export const DEFAULT_ATTACHMENT_LIMITS: AttachmentLimits = {
  maxInlineImageBytes: 3 * MIB,
  maxAttachmentBytes: 100 * MIB,
  attachmentQuotaBytes: 1024 * MIB,
  attachmentTtlMs: 30 * DAY_MS,
};

/**
 * Limits that can be kept, from those that are wanted; each that had to be changed has a warning.
 *
 * @param sessionTtlMs - Files outlive sessions, so that a session never points at a file that has gone.
 */
export function clampAttachmentLimits(
  wanted: Partial<AttachmentLimits>,
  sessionTtlMs: number,
): { limits: AttachmentLimits; warnings: readonly string[] } {
  const warnings: string[] = [];
  const clamp = (name: keyof AttachmentLimits, least: number, most: number) => {
    const value = wanted[name] ?? DEFAULT_ATTACHMENT_LIMITS[name];
    const clamped = Number.isNaN(value)
      ? DEFAULT_ATTACHMENT_LIMITS[name]
      : Math.min(Math.max(Math.floor(value), least), most);
    if (clamped !== value) warnings.push(`${name} is ${clamped} instead of ${value}.`);
    return clamped;
  };
  const maxAttachmentBytes = clamp("maxAttachmentBytes", 1, 1024 * MIB);
  const limits = {
    maxAttachmentBytes,
    maxInlineImageBytes: clamp("maxInlineImageBytes", 0, 20 * MIB),
    attachmentQuotaBytes: clamp(
      "attachmentQuotaBytes",
      maxAttachmentBytes,
      Number.MAX_SAFE_INTEGER,
    ),
    attachmentTtlMs: clamp("attachmentTtlMs", Math.max(1, sessionTtlMs), 3650 * DAY_MS),
  };
  return { limits, warnings };
}
