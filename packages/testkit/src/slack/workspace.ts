import { randomUUID } from "node:crypto";
import { readableText, resolvedText } from "./block-text.ts";
import type { SlackBlock } from "./blocks.ts";
import type { SlackClock } from "./clock.ts";
import { SlackFailure } from "./failure.ts";
import { findNotices } from "./find-notices.ts";
import type { SlackSettings } from "./options.ts";
import type {
  SlackChannel,
  SlackFile,
  SlackMessage,
  SlackNotice,
  SlackSession,
  SlackStatus,
  SlackStream,
  SlackUser,
  SlackView,
} from "./records.ts";

export type SlackEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export type SlackTrigger = { readonly user: string; readonly expiresAt: number; isUsed: boolean };

export type SlackUpload = {
  readonly name: string;
  readonly length: number;
  readonly snippetType: string;
  bytes: Uint8Array | undefined;
};

export type Draft = {
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly threadTs?: string | undefined;
  readonly isFromApp?: boolean;
  readonly botId?: string;
  readonly appId?: string;
  readonly subtype?: string;
  readonly blocks?: readonly SlackBlock[];
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly files?: readonly SlackFile[];
  readonly onlyFor?: string;
  readonly stream?: SlackStream;
};

/** All that a workspace knows, and what it tells the app about it. */
export class Workspace {
  readonly settings: SlackSettings;
  readonly clock: SlackClock;
  readonly users = new Map<string, SlackUser>();
  readonly channels = new Map<string, SlackChannel>();
  /** In their order. */
  readonly messages: SlackMessage[] = [];
  readonly files = new Map<string, SlackFile>();
  /** Begun, and not completed. */
  readonly uploads = new Map<string, SlackUpload>();
  readonly views = new Map<string, SlackView>();
  readonly notices: SlackNotice[] = [];
  /** What a click gives to open a view with. */
  readonly triggers = new Map<string, SlackTrigger>();
  /** By channel and thread. */
  readonly sessions = new Map<string, SlackSession>();
  readonly statuses = new Map<string, SlackStatus>();
  /** Tells the app, if it has subscribed to it. */
  emit: (event: SlackEvent) => void = () => undefined;
  #lastMicroseconds = 0;
  #lastId = 0;

  constructor(settings: SlackSettings) {
    this.settings = settings;
    this.clock = settings.clock;
    for (const user of settings.users) this.users.set(user.id, user);
    for (const channel of settings.channels) {
      this.channels.set(channel.id, { ...channel, members: new Set(channel.members) });
    }
  }

  now(): number {
    return this.clock.now();
  }

  /** A new id, such as `F0000001`. */
  id(prefix: string): string {
    this.#lastId += 1;
    return `${prefix}${String(this.#lastId).padStart(7, "0")}`;
  }

  /** Time stamps only grow, and none is given twice. */
  ts(): string {
    this.#lastMicroseconds = Math.max(this.#lastMicroseconds + 100, Math.round(this.now() * 1_000));
    const seconds = Math.floor(this.#lastMicroseconds / 1_000_000);
    return `${seconds}.${String(this.#lastMicroseconds % 1_000_000).padStart(6, "0")}`;
  }

  /** @throws SlackFailure */
  channel(id: string): SlackChannel {
    const channel = this.channels.get(id);
    const { bot } = this.settings.app;
    if (!channel) throw new SlackFailure("channel_not_found");
    if (channel.kind !== "public" && !channel.members.has(bot)) {
      throw new SlackFailure("channel_not_found");
    }
    return channel;
  }

  /** @throws SlackFailure unless the app may write there. */
  writable(id: string): SlackChannel {
    const channel = this.channel(id);
    if (channel.isArchived) throw new SlackFailure("is_archived");
    if (!channel.members.has(this.settings.app.bot)) throw new SlackFailure("not_in_channel");
    if (channel.kind === "im" && !this.settings.app.messagesTab) {
      throw new SlackFailure("messages_tab_disabled");
    }
    return channel;
  }

  find(channel: string, ts: string): SlackMessage | undefined {
    return this.messages.find(
      (each) => each.channel === channel && each.ts === ts && !each.isDeleted,
    );
  }

  /** The root and its replies; ephemeral ones are in nobody's history. */
  thread(channel: string, ts: string): readonly SlackMessage[] {
    return this.history(channel).filter((each) => (each.threadTs ?? each.ts) === ts);
  }

  history(channel: string): readonly SlackMessage[] {
    return this.messages.filter(
      (each) => each.channel === channel && !each.isDeleted && each.onlyFor === undefined,
    );
  }

  post(draft: Draft): SlackMessage {
    const { channel, user, threadTs, onlyFor } = draft;
    const isFromApp = draft.isFromApp ?? false;
    const message: SlackMessage = {
      channel,
      ts: this.ts(),
      threadTs,
      user,
      isFromApp,
      ...(draft.botId !== undefined && { botId: draft.botId }),
      ...(draft.appId !== undefined && { appId: draft.appId }),
      ...(draft.subtype !== undefined && { subtype: draft.subtype }),
      text: draft.text,
      blocks: draft.blocks ?? [],
      metadata: draft.metadata,
      files: draft.files ?? [],
      reactions: new Map(),
      clientId: isFromApp || draft.botId !== undefined ? undefined : randomUUID(),
      ...(onlyFor !== undefined && { onlyFor }),
      ...(draft.stream && { stream: draft.stream }),
    };
    this.messages.push(message);
    if (onlyFor !== undefined) return message;
    if (isFromApp && threadTs !== undefined) this.statuses.delete(threadKey(channel, threadTs));
    this.notices.push(...findNotices(this, message, resolvedText(message)));
    this.#announce(message);
    return message;
  }

  /** @param change - Carried out between the two copies that the event shows. */
  edit(message: SlackMessage, change: () => void, isByPerson: boolean): void {
    const previous = formatMessage(this, message);
    change();
    if (isByPerson) message.editedAt = this.ts();
    this.emit({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel: message.channel,
      channel_type: this.#channelType(message.channel),
      ts: this.ts(),
      message: formatMessage(this, message),
      previous_message: previous,
    });
  }

  /** The first message of a thread that has replies is not gone: something of the platform's own stands in its place. */
  delete(message: SlackMessage): void {
    const { channel, ts } = message;
    if (message.threadTs === undefined && this.thread(channel, ts).length > 1) {
      this.#bury(message);
      return;
    }
    const previous = formatMessage(this, message);
    message.isDeleted = true;
    this.emit({
      type: "message",
      subtype: "message_deleted",
      hidden: true,
      channel: message.channel,
      channel_type: this.#channelType(message.channel),
      ts: this.ts(),
      deleted_ts: message.ts,
      previous_message: previous,
    });
  }

  #bury(message: SlackMessage): void {
    const previous = formatMessage(this, message);
    const { channel, ts, threadTs } = message;
    const stone: SlackMessage = {
      ...{ channel, ts, threadTs, user: "USLACKBOT", isFromApp: false, subtype: "tombstone" },
      ...{ text: "This message was deleted.", blocks: [], files: [], reactions: new Map() },
      ...{ metadata: undefined, clientId: undefined },
    };
    this.messages[this.messages.indexOf(message)] = stone;
    this.emit({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel,
      channel_type: this.#channelType(channel),
      ts: this.ts(),
      message: { ...formatMessage(this, stone), hidden: true },
      previous_message: previous,
    });
  }

  /** The session of a thread as it is now. */
  session(channel: string, threadTs: string): SlackSession | undefined {
    const session = this.sessions.get(threadKey(channel, threadTs));
    const isOver = session && this.now() - session.since >= this.settings.processingLifeMs;
    if (session?.status === "processing" && isOver) session.status = "active";
    return session;
  }

  #announce(message: SlackMessage): void {
    const { app, team } = this.settings;
    const channel = this.channels.get(message.channel);
    if (!channel?.members.has(app.bot)) return;
    const event = {
      ...formatMessage(this, message),
      channel: message.channel,
      channel_type: this.#channelType(message.channel),
      event_ts: message.ts,
    };
    this.emit({ ...event, type: "message" });
    const mentions = resolvedText(message).includes(`<@${app.bot}`);
    if (mentions && channel.kind !== "im") {
      const { subtype: _, channel_type: __, ...mention } = event as Record<string, unknown>;
      this.emit({ ...mention, type: "app_mention", team });
    }
  }

  #channelType(id: string): string {
    const names = { public: "channel", private: "group", im: "im", mpim: "mpim" } as const;
    return names[this.channels.get(id)?.kind ?? "public"];
  }
}

export function threadKey(channel: string, threadTs: string): string {
  return `${channel}/${threadTs}`;
}

/** A message as events and histories carry it. */
export function formatMessage(workspace: Workspace, message: SlackMessage): SlackEvent {
  const { app, team } = workspace.settings;
  const { user, ts, threadTs, files, blocks, stream } = message;
  const userTeam = workspace.users.get(user)?.team ?? team;
  const replies = workspace.messages.filter(
    (each) =>
      each.channel === message.channel &&
      each.threadTs === ts &&
      !each.isDeleted &&
      each.onlyFor === undefined,
  );
  const last = replies.at(-1);
  return {
    type: "message",
    ...(message.subtype !== undefined && { subtype: message.subtype }),
    ...(files.length > 0 && { subtype: "file_share" }),
    user,
    ts,
    team: userTeam,
    ...(userTeam !== team && { user_team: userTeam, source_team: userTeam }),
    text: stream ? readableText(message) : message.text,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(last && { thread_ts: ts, reply_count: replies.length, latest_reply: last.ts }),
    ...(message.clientId !== undefined && { client_msg_id: message.clientId }),
    ...(message.isFromApp && { bot_id: app.botId, app_id: app.id }),
    ...(message.botId !== undefined && { bot_id: message.botId, app_id: message.appId }),
    ...(blocks.length > 0 && { blocks }),
    ...(message.metadata && { metadata: message.metadata }),
    ...(files.length > 0 && { files: files.map((file) => formatFile(workspace, file)) }),
    ...(message.editedAt !== undefined && { edited: { user, ts: message.editedAt } }),
    ...(stream && { streaming_state: stream.state === "stopped" ? "completed" : stream.state }),
    ...(message.reactions.size > 0 && {
      reactions: [...message.reactions].map(([name, users]) => ({
        name,
        users: [...users],
        count: users.size,
      })),
    }),
  };
}

/** A file as the platform describes it. */
export function formatFile(workspace: Workspace, file: SlackFile): Record<string, unknown> {
  const { team, url } = workspace.settings;
  const base = `${url()}/files-pri/${team}-${file.id}`;
  const isPartners = workspace.users.get(file.user)?.team !== team;
  if (isPartners) return { id: file.id, file_access: "check_file_info" };
  return describeFile(file, base);
}

/** The same without regard to where the file comes from. */
export function describeFile(file: SlackFile, base: string): Record<string, unknown> {
  const name = encodeURIComponent(file.name);
  const { externalUrl, rendition, transcript } = file;
  const isPicture = file.mimetype.startsWith("image/");
  const renditionUrl = `${base.replace("/files-pri/", "/files-tmb/")}-1/${name}`;
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: file.name.split(".").at(-1) ?? "",
    size: file.bytes.length,
    user: file.user,
    mode: file.mode ?? (file.snippetType === undefined ? "hosted" : "snippet"),
    url_private: `${base}/${name}`,
    url_private_download: `${base}/download/${name}`,
    ...(externalUrl !== undefined && {
      mode: "external",
      is_external: true,
      url_private: externalUrl,
      url_private_download: undefined,
    }),
    ...(rendition && { [isPicture ? "thumb_1024" : "converted_pdf"]: renditionUrl }),
    ...(transcript !== undefined && {
      transcription: { status: "complete", preview: { content: transcript, has_more: false } },
    }),
  };
}
