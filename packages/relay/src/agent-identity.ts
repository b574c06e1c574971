import type { PathMapping } from "@acp-kit/acp-wire";
import type { AgentConfig } from "./config/schema.ts";

/** As whom an agent runs, and with it everything that the relay has to run where the agent can write. */
export type AgentIdentity = {
  /** Another user; without it, and without a wrapper, the relay's own. */
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined;
  /** Starts a program in the agent's surroundings: `["docker", "exec", "-i", "box"]`. */
  readonly wrapper?: readonly string[] | undefined;
  /** Where a wrapper shows the host's directories. */
  readonly pathMap?: readonly PathMapping[] | undefined;
};

export function identityOf({ runAs, wrapper, cwdMap = {} }: AgentConfig): AgentIdentity {
  const pathMap = Object.entries(cwdMap).map(([host, agent]) => ({ host, agent }));
  return {
    ...(runAs && { runAs }),
    ...(wrapper && { wrapper }),
    ...(pathMap.length > 0 && { pathMap }),
  };
}

/** The relay's own: it sees and may what the relay sees and may. */
export function isOwnIdentity({ runAs, wrapper = [] }: AgentIdentity): boolean {
  return runAs === undefined && wrapper.length === 0;
}

/** True when an agent can read what the relay can: its secrets, its state, its environment. */
export function sharesUser(
  { runAs, wrapper = [] }: AgentIdentity,
  uid: number | undefined,
): boolean {
  return wrapper.length === 0 && (runAs === undefined || runAs.uid === uid);
}
