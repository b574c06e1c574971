/** What of Slack is used. Each costs scopes, which whoever installs the app has to grant. */
export const SLACK_FEATURES = [
  "channels",
  "private-channels",
  "group-messages",
  "direct-messages",
  /** Direct messages as an agent's threads, with titles and suggested prompts. */
  "agent",
  /** Slack's own Stop button. */
  "native-stop",
  "files-in",
  "files-out",
  /** Signs on messages: seen, queued. */
  "signs",
  /** A reaction that stops or judges a turn. */
  "reactions",
  /** Who is a guest, a partner or a bot, and how people are called. */
  "people",
  /** A message to somebody who has not written first: a named approver. */
  "first-messages",
  "slash-command",
  /** What was said while the relay was away, also where it has never heard anything. */
  "catch-up",
] as const;

export type SlackFeature = (typeof SLACK_FEATURES)[number];

/** All that may ever be asked for. None of them writes where the app was not invited, or under another name. */
export type SlackScope =
  | "app_mentions:read"
  | "assistant:write"
  | "channels:history"
  | "channels:read"
  | "chat:write"
  | "commands"
  | "files:read"
  | "files:write"
  | "groups:history"
  | "groups:read"
  | "im:history"
  | "im:read"
  | "im:write"
  | "mpim:history"
  | "mpim:read"
  | "reactions:read"
  | "reactions:write"
  | "users:read";

type Needs = { readonly scopes: readonly SlackScope[]; readonly events: readonly string[] };

const needs: Readonly<Record<SlackFeature, Needs>> = {
  channels: {
    scopes: ["app_mentions:read", "channels:history"],
    events: ["app_mention", "message.channels"],
  },
  "private-channels": {
    scopes: ["app_mentions:read", "groups:history"],
    events: ["app_mention", "message.groups"],
  },
  "group-messages": {
    scopes: ["app_mentions:read", "mpim:history"],
    events: ["app_mention", "message.mpim"],
  },
  "direct-messages": { scopes: ["im:history"], events: ["message.im"] },
  agent: { scopes: ["assistant:write"], events: ["app_home_opened"] },
  "native-stop": { scopes: [], events: ["agent_session_stopped"] },
  "files-in": { scopes: ["files:read"], events: [] },
  // Whether what was sent is to be seen has to be asked.
  "files-out": { scopes: ["files:read", "files:write"], events: [] },
  signs: { scopes: ["reactions:write"], events: [] },
  reactions: { scopes: ["reactions:read"], events: ["reaction_added", "reaction_removed"] },
  people: { scopes: ["users:read"], events: [] },
  "first-messages": { scopes: ["im:write"], events: [] },
  "slash-command": { scopes: ["commands"], events: [] },
  "catch-up": { scopes: [], events: [] },
};

/** To list the conversations of a kind: for the feature `catch-up`, which looks where the app is heard and nowhere else. */
const listing: Readonly<Partial<Record<SlackFeature, SlackScope>>> = {
  channels: "channels:read",
  "private-channels": "groups:read",
  "group-messages": "mpim:read",
  "direct-messages": "im:read",
};

/** The scopes and events of an app with these features, sorted, each once. Pure. */
export function listNeeds(features: Iterable<SlackFeature>): Needs {
  const all = new Set(features);
  const wanted = [...all].map((feature) => needs[feature]);
  const lists = all.has("catch-up") ? [...all].flatMap((feature) => listing[feature] ?? []) : [];
  const own = wanted.flatMap((need) => need.scopes);
  const scopes = new Set(["chat:write" as const, ...own, ...lists]);
  const events = new Set(["app_uninstalled", "tokens_revoked", ...wanted.flatMap((n) => n.events)]);
  return { scopes: [...scopes].sort(), events: [...events].sort() };
}
