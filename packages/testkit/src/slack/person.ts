import { isRecord } from "./args.ts";
import type { LiveButton } from "./block-text.ts";
import type { Deliveries, SlackDelivery } from "./deliveries.ts";
import { createFile, shareFiles } from "./file-methods.ts";
import type { SlackFile, SlackMessage, SlackNotice, SlackUser, SlackView } from "./records.ts";
import type { ResponseUrls } from "./response-urls.ts";
import { findSeenMessages, findThreadMarks, type SeenMessage } from "./seen-message.ts";
import { stopStreams } from "./stream-methods.ts";
import { formatTranscript } from "./transcript.ts";
import { addView, checkView, createTrigger, formatView } from "./view-methods.ts";
import { formatMessage, threadKey, type Workspace } from "./workspace.ts";

export type SayOptions = {
  /** The `ts` of the thread's first message. */
  readonly thread?: string;
  readonly files?: readonly SharedFile[];
};

/** A file as somebody shares it. */
export type SharedFile = Pick<SlackFile, "name" | "bytes"> &
  Partial<Pick<SlackFile, "mimetype" | "mode" | "externalUrl" | "rendition" | "transcript">>;

/** What a person's acts need. */
export type PersonHost = {
  readonly workspace: Workspace;
  readonly deliveries: Deliveries;
  readonly responseUrls: ResponseUrls;
};

/** Somebody in the workspace, and what they can do there. */
export class SlackPerson {
  readonly id: string;
  readonly #user: SlackUser;
  readonly #host: PersonHost;

  constructor(user: SlackUser, host: PersonHost) {
    this.id = user.id;
    this.#user = user;
    this.#host = host;
  }

  /** Posts as written, mentions as in `<@U0BOT>`; `& < >` outside of them are the caller's to escape. Gives its `ts`. */
  say(channel: string, text: string, { thread, files = [] }: SayOptions = {}): string {
    const { workspace } = this.#host;
    this.#needMember(channel);
    const kept = files.map((file) =>
      createFile(workspace, { ...file, title: file.name, user: this.id }),
    );
    const message = workspace.post({ channel, user: this.id, text, threadTs: thread, files: kept });
    shareFiles(workspace, kept, channel, message.ts);
    return message.ts;
  }

  edit(channel: string, ts: string, text: string): void {
    const message = this.#own(channel, ts);
    const change = () => {
      message.text = text;
    };
    this.#host.workspace.edit(message, change, true);
  }

  delete(channel: string, ts: string): void {
    this.#host.workspace.delete(this.#own(channel, ts));
  }

  react(channel: string, ts: string, name: string): void {
    this.#react("reaction_added", channel, ts, name);
  }

  unreact(channel: string, ts: string, name: string): void {
    this.#react("reaction_removed", channel, ts, name);
  }

  /** The buttons that this person can press, oldest first. */
  buttons(channel: string): readonly LiveButton[] {
    return this.messages(channel).flatMap(({ buttons }) => buttons);
  }

  /**
   * Presses the newest button with this text or action id.
   *
   * @param button - One of {@link buttons}, also when it is gone by now, as on a screen that is not fresh.
   */
  async click(channel: string, button: string | LiveButton): Promise<SlackDelivery> {
    const pressed =
      typeof button === "string"
        ? this.buttons(channel).findLast(
            ({ text, actionId }) => text === button || actionId === button,
          )
        : button;
    if (!pressed) throw new Error(`${this.#user.name} sees no button ${String(button)}.`);
    const { workspace, responseUrls, deliveries } = this.#host;
    const message = workspace.messages.find(
      ({ channel: place, ts }) => place === channel && ts === pressed.ts,
    );
    const delivery = await deliveries.act("interactive", {
      type: "block_actions",
      ...this.#interaction(),
      container: {
        type: "message",
        message_ts: pressed.ts,
        channel_id: channel,
        is_ephemeral: message?.onlyFor !== undefined,
        ...(message?.threadTs !== undefined && { thread_ts: message.threadTs }),
      },
      channel: { id: channel, name: workspace.channels.get(channel)?.name },
      ...(message && { message: formatMessage(workspace, message) }),
      state: { values: {} },
      response_url: responseUrls.create(this.id, channel, message),
      actions: [
        {
          type: "button",
          action_id: pressed.actionId,
          block_id: pressed.blockId,
          text: { type: "plain_text", text: pressed.text },
          value: pressed.value,
          action_ts: workspace.ts(),
        },
      ],
    });
    return delivery;
  }

  /** The modals that are open on this person's screen. */
  get views(): readonly SlackView[] {
    return [...this.#host.workspace.views.values()].filter(
      ({ user, kind, state }) => user === this.id && kind === "modal" && state === "open",
    );
  }

  /** Submits the topmost modal, and does with it what the acknowledgement says. */
  async submit(values: Readonly<Record<string, unknown>> = {}): Promise<SlackDelivery> {
    const view = this.#topmost();
    const delivery = await this.#host.deliveries.act("interactive", {
      type: "view_submission",
      ...this.#interaction(),
      view: { ...formatView(view), state: { values } },
      response_urls: [],
    });
    if (delivery.state === "acknowledged") this.#finish(view, delivery.answer);
    return delivery;
  }

  async close(): Promise<void> {
    const view = this.#topmost();
    view.state = "closed";
    if (view.view["notify_on_close"] !== true) return;
    await this.#host.deliveries.act("interactive", {
      type: "view_closed",
      ...this.#interaction(),
      view: formatView(view),
      is_cleared: false,
    });
  }

  /** Not to be had in threads. */
  async slash(channel: string, command: string, text = ""): Promise<SlackDelivery> {
    const { workspace, responseUrls, deliveries } = this.#host;
    this.#needMember(channel);
    const { app, team } = workspace.settings;
    const delivery = await deliveries.act("slash_commands", {
      command,
      text,
      user_id: this.id,
      user_name: this.#user.name,
      team_id: team,
      channel_id: channel,
      channel_name: workspace.channels.get(channel)?.name ?? "",
      api_app_id: app.id,
      trigger_id: createTrigger(workspace, this.id),
      response_url: responseUrls.create(this.id, channel),
      is_enterprise_install: "false",
    });
    responseUrls.say(this.id, channel, delivery.answer);
    return delivery;
  }

  /** The shortcut on a message, by its callback id. */
  async shortcut(channel: string, ts: string, callbackId: string): Promise<SlackDelivery> {
    const { workspace, responseUrls, deliveries } = this.#host;
    const message = workspace.find(channel, ts);
    if (!message) throw new Error(`There is no message ${ts}.`);
    return await deliveries.act("interactive", {
      type: "message_action",
      callback_id: callbackId,
      ...this.#interaction(),
      channel: { id: channel },
      message_ts: ts,
      message: formatMessage(workspace, message),
      response_url: responseUrls.create(this.id, channel, message),
    });
  }

  /** The platform's own Stop of a thread's session. */
  stop(channel: string, thread: string): void {
    const { workspace } = this.#host;
    const session = workspace.session(channel, thread);
    if (session?.status !== "processing") throw new Error("There is no Stop to press.");
    stopStreams(workspace, channel, thread);
    workspace.emit({
      type: "agent_session_stopped",
      user: this.id,
      channel,
      channel_id: channel,
      thread_ts: thread,
      event_ts: workspace.ts(),
    });
  }

  /** Whether this person sees the platform's own Stop in a thread. */
  canStop(channel: string, thread: string): boolean {
    const { workspace } = this.#host;
    return (
      workspace.sessions.has(threadKey(channel, thread)) &&
      workspace.session(channel, thread)?.status === "processing"
    );
  }

  openHome(tab: "home" | "messages" = "home"): void {
    const { workspace } = this.#host;
    const channel = [...workspace.channels.values()].find(
      ({ kind, members }) => kind === "im" && members.has(this.id),
    );
    workspace.emit({
      type: "app_home_opened",
      user: this.id,
      channel: channel?.id ?? "",
      tab,
      event_ts: workspace.ts(),
    });
  }

  /** What made this person's phone ring, oldest first. */
  get notices(): readonly SlackNotice[] {
    return this.#host.workspace.notices.filter(({ user }) => user === this.id);
  }

  /** What this person sees of a channel, oldest first. */
  messages(channel: string): readonly SeenMessage[] {
    return findSeenMessages(this.#host.workspace, this.id, channel);
  }

  /** What stands under a thread, such as the app's status. */
  threadMarks(channel: string, thread: string): readonly string[] {
    return findThreadMarks(this.#host.workspace, channel, thread);
  }

  /** What this person sees of a channel, as text. */
  see(channel: string): string {
    return formatTranscript(this.#host.workspace, this.id, channel);
  }

  #own(channel: string, ts: string): SlackMessage {
    const message = this.#host.workspace.find(channel, ts);
    if (message?.user !== this.id) throw new Error(`${ts} is no message of ${this.#user.name}.`);
    return message;
  }

  #needMember(channel: string): void {
    if (this.#host.workspace.channels.get(channel)?.members.has(this.id)) return;
    throw new Error(`${this.#user.name} is not in ${channel}.`);
  }

  #topmost(): SlackView {
    const view = this.views.at(-1);
    if (!view) throw new Error(`${this.#user.name} has no modal open.`);
    return view;
  }

  #interaction(): Record<string, unknown> {
    const { workspace } = this.#host;
    const { app, team } = workspace.settings;
    return {
      user: { id: this.id, name: this.#user.name, team_id: this.#user.team },
      team: { id: team, domain: "acme" },
      api_app_id: app.id,
      trigger_id: createTrigger(workspace, this.id),
      is_enterprise_install: false,
    };
  }

  #react(type: string, channel: string, ts: string, name: string): void {
    const { workspace } = this.#host;
    const message = workspace.find(channel, ts);
    if (!message) throw new Error(`There is no message ${ts}.`);
    const users = message.reactions.get(name) ?? new Set<string>();
    if (type === "reaction_added") message.reactions.set(name, users.add(this.id));
    else users.delete(this.id);
    if (users.size === 0) message.reactions.delete(name);
    workspace.emit({
      type,
      user: this.id,
      reaction: name,
      item: { type: "message", channel, ts },
      item_user: message.user,
      event_ts: workspace.ts(),
    });
  }

  #finish(view: SlackView, answer: unknown): void {
    const action = isRecord(answer) ? answer["response_action"] : undefined;
    delete view.errors;
    if (!isRecord(answer) || action === undefined) {
      view.state = "closed";
      return;
    }
    if (action === "errors") view.errors = answer["errors"] as Record<string, string>;
    else if (action === "clear") for (const each of this.views) each.state = "closed";
    else if (isRecord(answer["view"])) {
      const next = checkView(answer["view"]);
      if (action === "push") addView(this.#host.workspace, this.id, next);
      else view.view = next;
    }
  }
}
