import { findRequest } from "./prompt-blocks.ts";
import type { Turn } from "./transcript.ts";

/**
 * True when what the agent is told with a message holds words of others than the person who wrote it: their instructions
 * may be carried out in that person's name.
 */
export function isTainted(query: readonly Turn[]): boolean {
  const request = findRequest(query);
  return query.some(
    ({ role, speaker, isAside, isWithheld }) =>
      !isAside &&
      !isWithheld &&
      role !== "bot" &&
      (role !== "user" || speaker !== request?.speaker),
  );
}
