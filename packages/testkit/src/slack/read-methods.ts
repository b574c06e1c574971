import type { Args } from "./args.ts";
import { SlackFailure } from "./failure.ts";
import { COMMERCIAL_READING, SLACK_LIMITS } from "./limits.ts";
import type { Method, Methods } from "./method.ts";
import type { SlackChannel, SlackMessage, SlackUser } from "./records.ts";
import { formatMessage, type Workspace } from "./workspace.ts";

export const readMethods: Methods = {
  "auth.test": {
    rate: "free",
    run: ({ settings: { app, team, enterprise, url } }) => ({
      url: `${url()}/`,
      team: "acme",
      user: app.name,
      team_id: team,
      user_id: app.bot,
      bot_id: app.botId,
      ...(enterprise !== undefined && { enterprise_id: enterprise }),
      is_enterprise_install: false,
    }),
  },
  "bots.info": {
    rate: 3,
    scope: "users:read",
    formOnly: true,
    run({ settings: { app } }, args) {
      if (args.text("bot") !== app.botId) throw new SlackFailure("bot_not_found");
      return { bot: { id: app.botId, app_id: app.id, user_id: app.bot, name: app.name } };
    },
  },
  "users.info": {
    rate: 4,
    scope: "users:read",
    formOnly: true,
    run(workspace, args) {
      const user = workspace.users.get(args.text("user"));
      if (!user) throw new SlackFailure("user_not_found");
      return { user: formatUser(user) };
    },
  },
  "conversations.info": {
    rate: 3,
    scope: "channels:read",
    formOnly: true,
    run: (workspace, args) => ({
      channel: formatChannel(workspace.channel(args.required("channel", "channel_not_found"))),
    }),
  },
  "conversations.members": {
    rate: 4,
    scope: "channels:read",
    formOnly: true,
    run: (workspace, args) => ({
      members: [...workspace.channel(args.required("channel", "channel_not_found")).members],
      response_metadata: { next_cursor: "" },
    }),
  },
  "conversations.list": {
    rate: 2,
    scope: "channels:read",
    formOnly: true,
    run: ({ channels, settings }) => ({
      channels: [...channels.values()]
        .filter(({ kind, members }) => kind === "public" || members.has(settings.app.bot))
        .map(formatChannel),
      response_metadata: { next_cursor: "" },
    }),
  },
  "users.conversations": {
    rate: 3,
    formOnly: true,
    run(workspace, args) {
      const { app } = workspace.settings;
      const kinds = readKinds(args.text("types"), app.scopes);
      const limit = args.number("limit", 100);
      if (!(limit >= 1 && limit <= 1_000)) throw new SlackFailure("invalid_limit");
      const found = [...workspace.channels.values()].filter(
        ({ kind, members, isArchived }) =>
          kinds.includes(kind) &&
          members.has(app.bot) &&
          !(isArchived === true && args.flag("exclude_archived")),
      );
      const from = args.number("cursor", 0);
      if (!(from >= 0 && from <= found.length)) throw new SlackFailure("invalid_cursor");
      const end = from + limit;
      return {
        channels: found.slice(from, end).map((channel) => {
          const { num_members: _, ...rest } = formatChannel(channel);
          return rest;
        }),
        response_metadata: { next_cursor: end < found.length ? String(end) : "" },
      };
    },
  },
  "conversations.open": {
    rate: 3,
    scope: "im:write",
    run(workspace, args) {
      const user = args.required("users", "users_list_not_supplied");
      if (!workspace.users.has(user)) throw new SlackFailure("user_not_found");
      const { bot } = workspace.settings.app;
      const found = [...workspace.channels.values()].find(
        ({ kind, members }) => kind === "im" && members.has(user) && members.has(bot),
      );
      if (found) return { channel: { id: found.id }, already_open: true };
      const id = workspace.id("D");
      workspace.channels.set(id, { id, name: id, kind: "im", members: new Set([user, bot]) });
      return { channel: { id } };
    },
  },
  "conversations.history": reading((workspace, channel) =>
    // Newest first, and without what was said in threads.
    workspace
      .history(channel.id)
      .filter(({ threadTs }) => threadTs === undefined)
      .toReversed(),
  ),
  "conversations.replies": reading((workspace, channel, args) => {
    const ts = args.required("ts", "thread_not_found");
    const root = workspace.find(channel.id, ts);
    if (!root) throw new SlackFailure("thread_not_found");
    return workspace.thread(channel.id, root.threadTs ?? ts);
  }),
};

/** Types of conversations, each with its kind here and the scope without which it is not listed. */
const listed: Readonly<Record<string, readonly [SlackChannel["kind"], string]>> = {
  public_channel: ["public", "channels:read"],
  private_channel: ["private", "groups:read"],
  mpim: ["mpim", "mpim:read"],
  im: ["im", "im:read"],
};

/** @throws SlackFailure also when only one of several types has not its scope. */
function readKinds(types: string, scopes: readonly string[]): readonly SlackChannel["kind"][] {
  return (types || "public_channel").split(",").map((type) => {
    const [kind, needed] = (Object.hasOwn(listed, type) ? listed[type] : undefined) ?? [];
    if (kind === undefined || needed === undefined) throw new SlackFailure("invalid_types");
    needScope(scopes, needed);
    return kind;
  });
}

/** @throws SlackFailure */
function needScope(scopes: readonly string[], needed: string): void {
  if (scopes.includes(needed)) return;
  throw new SlackFailure("missing_scope", { needed, provided: scopes.join(",") });
}

/** What it takes to read what was said in a conversation of a kind. */
const histories: Readonly<Record<SlackChannel["kind"], string>> = {
  public: "channels:history",
  private: "groups:history",
  mpim: "mpim:history",
  im: "im:history",
};

/** A page of messages between two instants, which are themselves left out. */
function reading(
  select: (workspace: Workspace, channel: SlackChannel, args: Args) => readonly SlackMessage[],
): Method {
  return {
    rate: "reading",
    formOnly: true,
    run(workspace, args) {
      const channel = workspace.channel(args.required("channel", "channel_not_found"));
      needScope(workspace.settings.app.scopes, histories[channel.kind]);
      if (!channel.members.has(workspace.settings.app.bot))
        throw new SlackFailure("not_in_channel");
      const oldest = args.number("oldest", 0);
      const latest = args.number("latest", Number.POSITIVE_INFINITY);
      const inclusive = args.flag("inclusive");
      const found = select(workspace, channel, args).filter(({ ts }) => {
        const at = Number(ts);
        return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
      });
      const from = args.number("cursor", 0);
      const max = workspace.settings.app.isCommercial ? COMMERCIAL_READING.messages : 999;
      const limit = Math.min(args.number("limit", 100), max);
      const page = found.slice(from, from + limit);
      const hasMore = from + limit < found.length;
      const withMetadata = args.flag("include_all_metadata");
      return {
        messages: page.map((message) => {
          const { metadata, ...rest } = formatMessage(workspace, message) as Record<
            string,
            unknown
          >;
          return withMetadata && metadata !== undefined ? { ...rest, metadata } : rest;
        }),
        has_more: hasMore,
        response_metadata: { next_cursor: hasMore ? String(from + limit) : "" },
      };
    },
  };
}

export const reactionMethods: Methods = {
  "reactions.add": {
    rate: 3,
    scope: "reactions:write",
    run(workspace, args) {
      const { message, name, users, bot } = readReaction(workspace, args);
      if (users.has(bot)) throw new SlackFailure("already_reacted");
      const own = [...message.reactions.values()].filter((each) => each.has(bot)).length;
      if (own >= SLACK_LIMITS.reactionsOfOnePerson) throw new SlackFailure("too_many_emoji");
      message.reactions.set(name, users.add(bot));
      return {};
    },
  },
  "reactions.remove": {
    rate: 2,
    scope: "reactions:write",
    run(workspace, args) {
      const { message, name, users, bot } = readReaction(workspace, args);
      if (!users.delete(bot)) throw new SlackFailure("no_reaction");
      if (users.size === 0) message.reactions.delete(name);
      return {};
    },
  },
};

function readReaction(workspace: Workspace, args: Args) {
  const channel = workspace.channel(args.required("channel", "channel_not_found"));
  const name = args.required("name", "invalid_name");
  if (!/^[a-z0-9_+'-]+$/.test(name)) throw new SlackFailure("invalid_name");
  const message = workspace.find(channel.id, args.required("timestamp", "no_item_specified"));
  if (!message) throw new SlackFailure("message_not_found");
  if (channel.isArchived) throw new SlackFailure("is_archived");
  const { bot } = workspace.settings.app;
  const users = message.reactions.get(name) ?? new Set<string>();
  return { message, name, users, bot };
}

function formatUser(user: SlackUser): Record<string, unknown> {
  return {
    id: user.id,
    name: user.name,
    team_id: user.team,
    deleted: user.isDeleted ?? false,
    is_bot: user.isBot ?? false,
    is_restricted: user.isRestricted ?? false,
    is_ultra_restricted: user.isUltraRestricted ?? false,
    real_name: user.name,
    ...(user.enterprise !== undefined && {
      enterprise_user: { id: user.id, enterprise_id: user.enterprise, teams: [user.team] },
    }),
    profile: { display_name: user.name, real_name: user.name },
  };
}

function formatChannel(channel: SlackChannel): Record<string, unknown> {
  return {
    id: channel.id,
    name: channel.name,
    is_channel: channel.kind === "public",
    is_group: channel.kind === "private",
    is_im: channel.kind === "im",
    is_mpim: channel.kind === "mpim",
    is_archived: channel.isArchived ?? false,
    is_ext_shared: channel.isShared ?? false,
    num_members: channel.members.size,
  };
}
