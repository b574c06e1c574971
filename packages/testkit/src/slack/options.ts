import type { SlackClock } from "./clock.ts";
import { systemClock } from "./clock.ts";
import { SLACK_LIMITS } from "./limits.ts";
import type { SlackUser } from "./records.ts";

export type SlackChannelOptions = {
  readonly id: string;
  readonly name: string;
  readonly kind: "public" | "private" | "im" | "mpim";
  readonly members: readonly string[];
  readonly isArchived?: boolean;
  readonly isShared?: boolean;
  readonly refusesStreams?: boolean;
};

export type SlackAppOptions = {
  readonly id: string;
  readonly name: string;
  /** Its bot user, and what its posts carry beside it. */
  readonly bot: string;
  readonly botId: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly scopes: readonly string[];
  /** What it has subscribed to; messages as in `message.im`. */
  readonly events: readonly string[];
  /** Declared as an agent: without it `agents.*` answers `not_authorized`. */
  readonly isAgent: boolean;
  /** People may write to it in its own tab. */
  readonly messagesTab: boolean;
  /** Sold outside of the Marketplace, which slows the reading of histories. */
  readonly isCommercial: boolean;
};

export type FakeSlackOptions = {
  readonly clock?: SlackClock;
  /** Where events go: over Socket Mode, or signed to this URL. [socket] */
  readonly transport?: "socket" | { readonly requestUrl: string };
  /** Its name in the addresses that it gives, over TLS, as behind a {@link TestProxy}. [127.0.0.1 and its port] */
  readonly host?: string;
  readonly team?: string;
  /** The organisation that the workspace belongs to, as `E…`. [none] */
  readonly enterprise?: string;
  /** In the place of the three of {@link defaultUsers}. */
  readonly users?: readonly SlackUser[];
  /** In the place of those of {@link defaultChannels}. */
  readonly channels?: readonly SlackChannelOptions[];
  readonly app?: Partial<SlackAppOptions>;
  /** Reports disagree on what ends a stream: its age, or that nothing came. [absolute] */
  readonly streamLife?: "absolute" | "idle";
  /** From the completion of an upload until its message is there. [0] */
  readonly fileShareMs?: number;
  /** How often sockets are pinged; 0 for never. [0] */
  readonly pingEveryMs?: number;
  /** False for no limits of rate at all. [true] */
  readonly rates?: boolean;
};

export type SlackSettings = Required<Omit<FakeSlackOptions, "app" | "enterprise" | "host">> & {
  readonly enterprise?: string;
  readonly app: SlackAppOptions;
  readonly processingLifeMs: number;
  /** Where it listens. */
  readonly url: () => string;
};

const TEAM = "T0ACME";
const BOT = "U0BOT";

export const defaultUsers: readonly SlackUser[] = [
  { id: "U0ANA", name: "ana", team: TEAM },
  { id: "U0BOB", name: "bob", team: TEAM },
  { id: "U0GUEST", name: "gus", team: TEAM, isRestricted: true },
  { id: "U0PARTNER", name: "pat", team: "T0PARTNER" },
];

export const defaultChannels: readonly SlackChannelOptions[] = [
  { id: "C0SHOP", name: "shop", kind: "public", members: ["U0ANA", "U0BOB", "U0GUEST", BOT] },
  {
    id: "C0SHARED",
    name: "shared",
    kind: "public",
    members: ["U0ANA", "U0PARTNER", BOT],
    isShared: true,
  },
  { id: "G0QUIET", name: "quiet", kind: "private", members: ["U0ANA", BOT] },
  { id: "D0ANA", name: "ana", kind: "im", members: ["U0ANA", BOT] },
  { id: "D0BOB", name: "bob", kind: "im", members: ["U0BOB", BOT] },
  { id: "G0GROUP", name: "ana-bob", kind: "mpim", members: ["U0ANA", "U0BOB", BOT] },
];

const defaultApp: SlackAppOptions = {
  id: "A0APP",
  name: "agent",
  bot: BOT,
  botId: "B0BOT",
  botToken: "xoxb-fake-bot-token",
  appToken: "xapp-fake-app-token",
  signingSecret: "fake-signing-secret",
  scopes: [
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "reactions:read",
    "reactions:write",
    "users:read",
  ],
  events: [
    "agent_session_stopped",
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "file_shared",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
    "tokens_revoked",
  ],
  isAgent: true,
  messagesTab: true,
  isCommercial: false,
};

/** @param url - Asked when something is described that has an address. */
export function fillSettings(options: FakeSlackOptions, url: () => string): SlackSettings {
  const team = options.team ?? TEAM;
  const app = { ...defaultApp, ...options.app };
  const bot: SlackUser = { id: app.bot, name: app.name, team, isBot: true };
  return {
    clock: systemClock,
    transport: "socket",
    channels: defaultChannels,
    streamLife: "absolute",
    fileShareMs: 0,
    pingEveryMs: 0,
    rates: true,
    ...options,
    users: [...(options.users ?? defaultUsers), bot],
    team,
    app,
    processingLifeMs: SLACK_LIMITS.processingLifeMs,
    url,
  };
}
