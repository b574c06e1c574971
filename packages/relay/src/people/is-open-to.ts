import type { Choice } from "@acp-kit/router";
import { type AccessRule, has } from "./access-rule.ts";

/** What of the configuration bounds a choice. */
export type ChoiceBounds = {
  /** Names of the bot's own agent and workspace. */
  readonly agent: string;
  readonly workspace: string;
  /** What the configuration of the agent in question lists. */
  readonly models?: readonly string[] | undefined;
  readonly modes?: readonly string[] | undefined;
};

/**
 * Whether a value is open to somebody for whom a rule holds. Pure.
 *
 * An operator may choose anything. Without lists another person may choose any model and thinking level, but keeps the
 * bot's agent and workspace, and of modes and an agent's other settings what its sessions begin with.
 */
export function isOpenTo(
  rule: AccessRule | undefined,
  { setting, value, initial }: Pick<Choice, "setting" | "value" | "initial">,
  bounds: ChoiceBounds,
): boolean {
  if (!rule) return false;
  if (rule.role === "operator") return true;
  const isIn = (list: readonly string[] | undefined) => has(list, String(value));
  switch (setting) {
    case "agent":
      return rule.agents ? isIn(rule.agents) : value === bounds.agent || value === "";
    case "workspace":
      return rule.workspaces ? isIn(rule.workspaces) : value === bounds.workspace;
    case "thinking":
      return true;
    case "model":
      return [rule.models, bounds.models].every((list) => list === undefined || isIn(list));
    case "mode": {
      const lists = [rule.modes, bounds.modes].filter((list) => list !== undefined);
      return lists.length > 0 ? lists.every(isIn) : value === initial;
    }
    default:
      return value === initial;
  }
}
