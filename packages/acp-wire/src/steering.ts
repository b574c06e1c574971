import type { AgentCapabilities } from "./types/initialize.ts";

/** Member of an agent's `capabilities._meta` by which it offers to take further messages while it answers one. */
export const STEERING = "dev.acp-kit.steering/v1";

/**
 * The extension method behind {@link STEERING}. Params: `sessionId`, and `prompt` as in `session/prompt`. Result: `taken`,
 * false when nothing is being answered any more, or the agent leaves the message for the next prompt.
 */
export const STEER_METHOD = "_acp-kit.dev/steer";

export type SteerResult = { readonly taken: boolean };

export function offersSteering({ _meta }: AgentCapabilities): boolean {
  return _meta?.[STEERING] != null;
}

/** Whether the message was taken. Whatever else an agent answers is no. */
export function parseSteerResult(result: unknown): boolean {
  return (result as Partial<SteerResult> | null | undefined)?.taken === true;
}
