import { z } from "zod";
import type { QueuedResult } from "../budget/call-result.ts";

/** Where a file of ours is. */
export type FoundShare =
  | "shared"
  /** Slack has it, and does not show it here, or not yet. */
  | "kept"
  /** It was never completed, or is gone. */
  | "absent"
  /** This app may not ask. */
  | "hidden"
  /** Nobody could say. */
  | "unknown";

const places = z.array(z.string()).catch([]);
const infoSchema = z.object({
  file: z.object({
    shares: z.record(z.string(), z.record(z.string(), z.array(z.unknown()))).catch({}),
    channels: places,
    groups: places,
    ims: places,
  }),
});

/** What the answer to files.info says of a file in a channel. Pure. */
export function findShare(result: QueuedResult, channel: string): FoundShare {
  if (result.kind === "refused") {
    if (result.error === "file_not_found" || result.error === "file_deleted") return "absent";
    return result.error === "missing_scope" ? "hidden" : "unknown";
  }
  const parsed = result.kind === "ok" ? infoSchema.safeParse(result.body) : undefined;
  if (!parsed?.success) return "unknown";
  const { shares, channels, groups, ims } = parsed.data.file;
  const isShared =
    Object.values(shares).some((kind) => (kind[channel]?.length ?? 0) > 0) ||
    [...channels, ...groups, ...ims].includes(channel);
  return isShared ? "shared" : "kept";
}
