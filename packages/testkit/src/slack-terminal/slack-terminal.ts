import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FakeSlack } from "../slack/fake-slack.ts";
import { defaultChannels, defaultUsers, type SlackChannelOptions } from "../slack/options.ts";
import type { SlackPerson } from "../slack/person.ts";
import { EMPTY_FEED, type Feed, reduceFeed } from "./feed.ts";
import { harmlessText } from "./harmless-text.ts";
import { Screen, type ScreenStreams } from "./screen.ts";
import {
  formatTerminalHelp,
  parseTerminalCommand,
  type TerminalCommand,
} from "./terminal-command.ts";
import {
  findChannel,
  formatPeople,
  type MessageRef,
  nameOfUser,
  type Place,
  WorkspaceView,
} from "./workspace-view.ts";

/** How long something has to stay as it is until it is printed for good, in milliseconds. */
const QUIET_MS = { terminal: 3_000, script: 1_000 };
const LOOK_EVERY_MS = 100;
/** `/wait`. */
const WAIT_MS = 120_000;
/** How long a script waits for what it wants to press. */
const SCRIPT_MS = 20_000;
/** A script is at its end when the app has done nothing for so long. */
const REST_MS = 4_000;

export type SlackTerminalOptions = ScreenStreams & {
  readonly slack: FakeSlack;
  /** The last lines that the app has printed. */
  readonly log: () => readonly string[];
};

/** A workspace of Slack at a terminal: one types as its people, and sees what they see. */
export class SlackTerminal implements Disposable {
  readonly #slack: FakeSlack;
  readonly #log: SlackTerminalOptions["log"];
  readonly #screen: Screen;
  readonly #view: WorkspaceView;
  readonly #over = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  /** Lines that were typed, one after another. */
  #work: Promise<void> = Promise.resolve();
  #place: Place;
  #feed: Feed = EMPTY_FEED;
  /** When what is to be seen has changed last. */
  #changedAt = performance.now();
  #lastSeen = "";
  readonly #looking: NodeJS.Timeout;

  constructor({ slack, log, ...streams }: SlackTerminalOptions) {
    this.#slack = slack;
    this.#log = log;
    this.#view = new WorkspaceView(slack);
    this.#place = this.#directOf(slack.person("U0ANA"));
    this.#screen = new Screen(streams, {
      line: (line) => {
        this.#work = this.#work.then(() => this.#obey(line));
      },
      end: (how) => {
        if (how === "interrupted" || streams.isTerminal) this.#done.resolve();
        else this.#work = this.#work.then(() => this.#rest()).catch(() => undefined);
      },
    });
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#go(this.#place);
  }

  /** Resolves when whoever sits there wants to end. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  print(...lines: readonly string[]): void {
    this.#screen.print(...lines.flatMap((line) => harmlessText(line).split("\n")));
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    clearInterval(this.#looking);
    this.#flush();
    this.#screen[Symbol.dispose]();
  }

  async #obey(line: string): Promise<void> {
    const command = parseTerminalCommand(line);
    if (!command || this.#over.signal.aborted) return;
    if (!this.#screen.isTerminal && command.kind !== "say") this.print(`> ${line}`);
    try {
      await this.#carryOut(command);
    } catch (error) {
      if (!this.#over.signal.aborted) this.print((error as Error).message);
    }
  }

  async #carryOut(command: TerminalCommand): Promise<void> {
    const place = this.#place;
    const { person, channel } = place;
    switch (command.kind) {
      case "wrong":
        return this.print(command.message);
      case "say":
        return this.#say(command.text);
      case "file":
        return this.#say(command.text, [
          { name: basename(command.path), bytes: await readFile(command.path) },
        ]);
      case "as":
        return this.#become(command.text);
      case "dm":
        return this.#go(this.#directOf(person));
      case "channel":
        return this.#go({ person, channel: findChannel(command.text), thread: undefined });
      case "thread": {
        const message = this.#message(command.number);
        return this.#go({ person, channel: this.#channelOf(message), thread: message.thread });
      }
      case "top":
        return this.#go({ ...place, thread: undefined });
      case "look":
        return this.#go(place);
      case "edit": {
        const message = this.#message(command.number);
        return person.edit(message.channel, message.ts, this.#encode(command.text));
      }
      case "delete": {
        const message = this.#message(command.number);
        return person.delete(message.channel, message.ts);
      }
      case "react":
      case "unreact": {
        const message = this.#message(command.number);
        return person[command.kind](message.channel, message.ts, command.text.replaceAll(":", ""));
      }
      case "press": {
        const button = await this.#find(`button ${command.number}`, () => {
          this.#view.items(place);
          return this.#view.buttons.find(command.number);
        });
        this.#channelOf(button);
        return this.#tell(await person.click(button.channel, button));
      }
      case "stop":
        return this.#stop();
      case "slash": {
        const [, name = "", text = ""] = /^\/?(\S+)\s*([\s\S]*)$/.exec(command.text) ?? [];
        return this.#tell(await person.slash(channel.id, `/${name}`, text));
      }
      case "submit":
        return this.#tell(await person.submit(fillFields(person, command.text)));
      case "close":
        return await person.close();
      case "wait":
        return await this.#wait(command.text);
      case "people":
        return this.print(...formatPeople());
      case "log":
        return this.print(...this.#log());
      case "help":
        return this.print(formatTerminalHelp());
      case "quit":
        return this.#done.resolve();
    }
  }

  #say(text: string, files: readonly { name: string; bytes: Uint8Array }[] = []): void {
    const { person, channel, thread } = this.#place;
    const encoded = this.#encode(text);
    this.#flush();
    const ts = person.say(channel.id, encoded, { ...(thread !== undefined && { thread }), files });
    const isHeard = channel.kind === "im" || encoded.includes(`<@${this.#slack.app.bot}>`);
    if (thread !== undefined || !isHeard) return;
    // The answer comes there.
    this.#feed = EMPTY_FEED;
    this.#place = { person, channel, thread: ts };
    this.#prompt();
  }

  /** As Slack's own clients send it: names and entities as tokens. */
  #encode(text: string): string {
    const people = new Map([
      ...defaultUsers.map(({ name, id }) => [name, id] as const),
      [this.#slack.app.name, this.#slack.app.bot] as const,
    ]);
    return text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replace(/@(\w+)/g, (whole, name: string) =>
        people.has(name) ? `<@${people.get(name)}>` : whole,
      );
  }

  async #stop(): Promise<void> {
    const { person, channel, thread } = this.#place;
    const stop = await this.#find("Stop", () => {
      if (thread !== undefined && person.canStop(channel.id, thread)) return thread;
      const buttons = this.#view.seen(this.#place).flatMap((message) => message.buttons);
      return buttons.findLast(({ text }) => /\bstop\b/i.test(text));
    });
    if (typeof stop === "string") person.stop(channel.id, stop);
    else this.#tell(await person.click(channel.id, stop));
  }

  /** A script is faster than an app: it waits a little for what it wants to press. */
  async #find<T>(what: string, look: () => T | undefined): Promise<T> {
    const deadline = performance.now() + (this.#screen.isTerminal ? 0 : SCRIPT_MS);
    for (;;) {
      const found = look();
      if (found !== undefined) {
        this.#flush();
        return found;
      }
      if (performance.now() > deadline) throw new Error(`There is no ${what} to press.`);
      await this.#pause();
    }
  }

  #tell({ state }: { readonly state: string }): void {
    if (state !== "acknowledged") this.print("The app has not reacted in time.");
  }

  #become(name: string): void {
    const user = defaultUsers.find((each) => each.name === name || each.id === name);
    if (!user) throw new Error(`There is nobody called ${name}: /people lists who there is.`);
    const person = this.#slack.person(user.id);
    const isMember = this.#place.channel.members.includes(user.id);
    this.#go(isMember ? { ...this.#place, person } : this.#directOf(person));
  }

  /** The direct messages of those who have some with the app, or the channel where all are. */
  #directOf(person: SlackPerson): Place {
    const member = ({ members }: SlackChannelOptions) => members.includes(person.id);
    const direct = defaultChannels.find((each) => each.kind === "im" && member(each));
    const channel = direct ?? defaultChannels.find(member) ?? findChannel("shop");
    return { person, channel, thread: undefined };
  }

  #go(place: Place): void {
    this.#flush();
    this.#place = place;
    this.#feed = EMPTY_FEED;
    this.#screen.print(`── ${this.#describePlace()} ──`);
    this.#prompt();
    this.#flush();
  }

  #prompt(): void {
    this.#screen.setPrompt(`${this.#describePlace()} › `);
  }

  #describePlace(): string {
    const { person, channel, thread } = this.#place;
    const where = channel.kind === "im" ? "direct messages" : `#${channel.name}`;
    return `${nameOfUser(person.id)}, ${where}${thread === undefined ? "" : ", thread"}`;
  }

  #message(number: number): MessageRef {
    const message = this.#view.messages.find(number);
    if (!message) throw new Error(`There is no message ${number}.`);
    this.#channelOf(message);
    return message;
  }

  /** Where something is that has a number: these are for everybody who sits here. */
  #channelOf({ channel }: { readonly channel: string }): SlackChannelOptions {
    const { person } = this.#place;
    const found = defaultChannels.find(({ id }) => id === channel);
    if (found?.members.includes(person.id)) return found;
    throw new Error(`${nameOfUser(person.id)} does not see that.`);
  }

  #look(quietMs = QUIET_MS[this.#screen.isTerminal ? "terminal" : "script"]): void {
    const items = this.#view.items(this.#place);
    const seen = JSON.stringify(items);
    const now = performance.now();
    if (seen !== this.#lastSeen) this.#changedAt = now;
    this.#lastSeen = seen;
    const { feed, print, live } = reduceFeed(this.#feed, items, { now, quietMs });
    this.#feed = feed;
    this.#screen.show(
      [...print, ...this.#view.takeNotices(this.#place)],
      [...live, ...this.#view.threadMarks(this.#place)],
    );
  }

  /** Prints all of the place as it is now. */
  #flush(): void {
    this.#look(0);
  }

  async #pause(): Promise<void> {
    await delay(LOOK_EVERY_MS, undefined, { signal: this.#over.signal });
  }

  async #wait(text: string): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    const isThere = () =>
      this.#view.items(this.#place).some(({ lines }) => lines.join("\n").includes(text));
    while (!isThere()) {
      if (performance.now() > deadline) throw new Error(`Waited ${WAIT_MS} ms for ${text}.`);
      await this.#pause();
    }
    this.#flush();
  }

  /** Resolves when the app seems to have finished what was begun. */
  async #rest(): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    while (performance.now() - this.#changedAt < REST_MS || this.#view.isAtWork(this.#place)) {
      if (performance.now() > deadline) break;
      await this.#pause();
    }
    this.#done.resolve();
  }
}

/** The text in each field of the topmost dialog. */
function fillFields(person: SlackPerson, text: string): Record<string, unknown> {
  const blocks = person.views.at(-1)?.view["blocks"];
  const inputs = (Array.isArray(blocks) ? blocks : []).filter(({ type }) => type === "input");
  return Object.fromEntries(
    inputs.map(({ block_id, element }) => [
      block_id,
      { [element?.action_id]: { type: element?.type, value: text } },
    ]),
  );
}
