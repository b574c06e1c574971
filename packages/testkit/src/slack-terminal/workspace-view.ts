import { formatBlock, type LiveButton } from "../slack/block-text.ts";
import type { FakeSlack } from "../slack/fake-slack.ts";
import { defaultChannels, defaultUsers, type SlackChannelOptions } from "../slack/options.ts";
import type { SlackPerson } from "../slack/person.ts";
import type { SeenMessage } from "../slack/seen-message.ts";
import type { FeedItem } from "./feed.ts";
import { buttonKey, formatMessage, Numbers } from "./format-message.ts";
import { harmlessText } from "./harmless-text.ts";

/** Where somebody looks: a channel, or one thread of it. */
export type Place = {
  readonly person: SlackPerson;
  readonly channel: SlackChannelOptions;
  readonly thread: string | undefined;
};

export type MessageRef = {
  readonly channel: string;
  readonly ts: string;
  /** Where its thread begins. */
  readonly thread: string;
};

/** What there is to see in a workspace, as lines for a terminal. */
export class WorkspaceView {
  readonly messages = new Numbers<MessageRef>();
  readonly buttons = new Numbers<LiveButton>();
  readonly #slack: FakeSlack;
  #noticed = 0;

  constructor(slack: FakeSlack) {
    this.#slack = slack;
  }

  /** The messages of a place: of a thread its own, and what the app says beside it to this person alone. */
  seen({ person, channel, thread }: Place): readonly SeenMessage[] {
    const all = person.messages(channel.id);
    if (thread === undefined) return all.filter(({ threadTs }) => threadTs === undefined);
    const { bot } = this.#slack.app;
    const isBeside = ({ threadTs, ts, user, marks }: SeenMessage) =>
      (channel.kind === "im" || marks.includes("(only you)")) &&
      threadTs === undefined &&
      ts > thread &&
      user === bot;
    return all.filter((each) => each.ts === thread || each.threadTs === thread || isBeside(each));
  }

  /** Messages and dialogs, oldest first. */
  items(place: Place): readonly FeedItem[] {
    const { person, channel, thread } = place;
    const replies = new Map<string, number>();
    for (const { threadTs } of thread === undefined ? person.messages(channel.id) : []) {
      if (threadTs !== undefined) replies.set(threadTs, (replies.get(threadTs) ?? 0) + 1);
    }
    const messages = this.seen(place).map((message): FeedItem => {
      const { ts, threadTs, marks } = message;
      const ref = { channel: channel.id, ts, thread: threadTs ?? ts };
      const number = this.messages.of(`${channel.id}/${ts}`, ref);
      const count = replies.get(ts);
      const counted = count === undefined ? marks : [...marks, `(${count} in /thread ${number})`];
      const lines = formatMessage(
        { ...message, marks: counted },
        number,
        (button) => this.buttons.of(buttonKey(button), button),
        (token) => this.#decode(token),
      );
      return { key: ts, lines };
    });
    const dialogs = person.views.map(({ id, view }): FeedItem => {
      const blocks = Array.isArray(view["blocks"]) ? view["blocks"] : [];
      const lines = blocks.flatMap((block) => harmlessText(formatBlock(block)).split("\n"));
      const indented = lines.map((line) => `      ${line}`);
      return { key: id, lines: ["(dialog)", ...indented, "      [/submit] [/close]"] };
    });
    return [...messages, ...dialogs];
  }

  /** What stands under a thread and changes all the time. */
  threadMarks({ person, channel, thread }: Place): readonly FeedItem[] {
    const marks = thread === undefined ? [] : person.threadMarks(channel.id, thread);
    const lines = marks.map((mark) => `      ${harmlessText(mark)}`);
    return lines.length === 0 ? [] : [{ key: "marks", lines }];
  }

  /** Whether the app still works at something there. */
  isAtWork(place: Place): boolean {
    const { person, channel, thread } = place;
    const isLive = this.seen(place).some(({ marks }) => marks.includes("…"));
    return isLive || (thread !== undefined && person.canStop(channel.id, thread));
  }

  /** Whose phones have rung for the app since the last time, without what is to be seen at `place`. */
  takeNotices(place: Place): readonly string[] {
    const all = defaultUsers
      .flatMap(({ id }) => this.#slack.person(id).notices)
      .sort((a, b) => Number(a.ts) - Number(b.ts));
    const fresh = all.slice(this.#noticed);
    this.#noticed = all.length;
    const here = new Set(this.seen(place).map(({ ts }) => ts));
    return fresh.flatMap(({ user, channel, ts, why, text }) => {
      const message = this.#slack.messages(channel).find((each) => each.ts === ts);
      if (!message?.isFromApp || (user === place.person.id && here.has(ts))) return [];
      const found = defaultChannels.find(({ id }) => id === channel);
      const where = found?.kind === "im" ? "a direct message" : `#${found?.name ?? channel}`;
      const shown = (message.text || text).replace(/<[@#][^>]+>/g, (token) => this.#decode(token));
      const [line = ""] = harmlessText(shown).split("\n");
      return [`(${nameOfUser(user)}'s phone rings, ${why} in ${where}: ${line.slice(0, 60)})`];
    });
  }

  /** `<@U0ANA>` and `<#C0SHOP|shop>` as names. */
  #decode(token: string): string {
    const [, sign, id = ""] = /^<([@#])([^|>]+)/.exec(token) ?? [];
    if (sign === "#") return `#${defaultChannels.find((each) => each.id === id)?.name ?? id}`;
    return `@${id === this.#slack.app.bot ? this.#slack.app.name : nameOfUser(id)}`;
  }
}

export function nameOfUser(id: string): string {
  return defaultUsers.find((user) => user.id === id)?.name ?? id;
}

/** @throws Error */
export function findChannel(name: string): SlackChannelOptions {
  const wanted = name.replace(/^#/, "");
  const found = defaultChannels.find((each) => each.name === wanted && each.kind !== "im");
  if (!found) throw new Error(`There is no channel ${name}: /people lists them.`);
  return found;
}

export function formatPeople(): readonly string[] {
  const [first] = defaultUsers;
  return [
    ...defaultUsers.map(({ name, id, isRestricted, team }) => {
      const what = isRestricted ? ", a guest" : team === first?.team ? "" : ", a partner";
      return `  ${name} (${id}${what})`;
    }),
    ...defaultChannels
      .filter(({ kind }) => kind !== "im")
      .map(({ name, members }) => {
        const people = members.filter((id) => defaultUsers.some((user) => user.id === id));
        return `  #${name}: ${people.map(nameOfUser).join(", ")}`;
      }),
  ];
}
