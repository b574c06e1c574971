import type { SlackBot } from "@acp-kit/relay";
import type { WireEvent } from "./event-schema.ts";

type Feature = SlackBot["features"][number];

/** The platform's words for where something is said, each with the feature without which nobody is heard there. */
const features: Readonly<Record<string, Feature>> = {
  channel: "channels",
  group: "private-channels",
  mpim: "group-messages",
  im: "direct-messages",
};

const ofMentions: readonly Feature[] = ["channels", "private-channels", "group-messages"];

/**
 * Whether the bot takes part where something is said. An `app_mention` does not say what kind of place it is in: where not
 * all of them count, its `message` does, which comes as well. Pure.
 */
export function isHeardThere(
  { channel = "", channel_type: told }: Pick<WireEvent, "channel" | "channel_type">,
  enabled: readonly Feature[],
): boolean {
  const type = told ?? (channel.startsWith("D") ? "im" : "");
  const needed = Object.hasOwn(features, type) ? features[type] : undefined;
  return needed === undefined
    ? ofMentions.every((each) => enabled.includes(each))
    : enabled.includes(needed);
}
