const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** How much of attachments is kept and shown. */
export type AttachmentLimits = {
  /** Largest image or sound that is shown to the model, in bytes. Default 3 MiB: as base64 it fits the smallest cap of a provider, 5 MB. */
  readonly maxInlineBytes: number;
  /** Largest file that is fetched, in bytes. Default 100 MiB. */
  readonly maxFileBytes: number;
  /** All kept files of a conversation together, in bytes. Default 1 GiB. */
  readonly quotaBytes: number;
  /** How long a file is kept. Default 30 days. */
  readonly ttlMs: number;
};

export const DEFAULT_ATTACHMENT_LIMITS: AttachmentLimits = {
  maxInlineBytes: 3 * MIB,
  maxFileBytes: 100 * MIB,
  quotaBytes: 1024 * MIB,
  ttlMs: 30 * DAY_MS,
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
  const maxFileBytes = clamp("maxFileBytes", 1, 1024 * MIB);
  const limits = {
    maxFileBytes,
    maxInlineBytes: clamp("maxInlineBytes", 0, 20 * MIB),
    quotaBytes: clamp("quotaBytes", maxFileBytes, Number.MAX_SAFE_INTEGER),
    ttlMs: clamp("ttlMs", Math.max(1, sessionTtlMs), 3650 * DAY_MS),
  };
  return { limits, warnings };
}
