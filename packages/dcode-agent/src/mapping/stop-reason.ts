import type { KnownStopReason } from "@acp-kit/acp-wire";
import { StopReason } from "@acp-kit/dcode-protocol";

const stopReasons: ReadonlyMap<string, KnownStopReason> = new Map([
  [StopReason.done, "end_turn"],
  // Results, not failures: `_meta` says what was and was not checked.
  [StopReason.unverified, "end_turn"],
  [StopReason.incomplete, "end_turn"],
  [StopReason.interrupted, "cancelled"],
  [StopReason.maxIterations, "max_turn_requests"],
  [StopReason.maxTokens, "max_tokens"],
  // Not `refusal`, which tells a client that the prompt has been dropped.
  [StopReason.repeatLoop, "max_turn_requests"],
]);

/** Why a prompt ended, by why its turn did; undefined for a turn that failed. */
export function stopReason(reason: string): KnownStopReason | undefined {
  if (reason === StopReason.error) return undefined;
  return stopReasons.get(reason) ?? "end_turn";
}
