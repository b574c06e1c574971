import type { SlackBot } from "@acp-kit/relay";
import type { SlackFeature } from "./scopes.ts";

/** What a bot's settings say of what its app is made for. */
export type FeatureSettings = Pick<SlackBot, "agentView" | "features" | "slashCommand">;

/** All that an app needs for a bot. Who is a guest or a partner has to be known in any case. Pure. */
export function featuresOf({ agentView, features, slashCommand }: FeatureSettings) {
  const wanted: SlackFeature[] = [...features, "people"];
  if (agentView && features.includes("direct-messages")) wanted.push("agent", "native-stop");
  if (slashCommand !== undefined) wanted.push("slash-command");
  return wanted;
}
