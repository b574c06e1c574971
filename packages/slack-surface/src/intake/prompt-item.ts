import type { PromptItem, Turn } from "@acp-kit/router";
import type { SlackWorkspace } from "../workspace.ts";

/** What of a message the agent is asked with. */
export type Asked = {
  readonly key: string;
  readonly user: string;
  /** Earlier messages, and this one last. */
  readonly query: readonly Turn[];
  /** In the place of the message's own words. */
  readonly text?: string;
  readonly replaces?: string;
};

/** A message for the router. The platform brings it as often as it likes: it is the same turn for ever. */
export function createPromptItem(
  { bot, context }: Pick<SlackWorkspace, "bot" | "context">,
  { key, user, query, text, replaces }: Asked,
): PromptItem {
  const { defaults } = bot;
  return {
    ...{ kind: "prompt", key, user, query, options: defaults, defaults, repeat: "attach" },
    ...(text !== undefined && { text }),
    ...(replaces !== undefined && { replaces }),
    at: context.now(),
  };
}
