import { Args, isRecord } from "./args.ts";
import { readReplyBody } from "./chat-methods.ts";
import { SlackFailure } from "./failure.ts";
import { SLACK_LIMITS } from "./limits.ts";
import type { SlackMessage } from "./records.ts";
import type { Workspace } from "./workspace.ts";

type ResponseUrl = {
  readonly user: string;
  readonly channel: string;
  readonly message: SlackMessage | undefined;
  readonly expiresAt: number;
  uses: number;
};

/** Addresses where the app answers an interaction, five times within 30 minutes. */
export class ResponseUrls {
  readonly #workspace: Workspace;
  readonly #urls = new Map<string, ResponseUrl>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  create(user: string, channel: string, message?: SlackMessage): string {
    const id = this.#workspace.id("R");
    const expiresAt = this.#workspace.now() + SLACK_LIMITS.responseUrlLifeMs;
    this.#urls.set(id, { user, channel, message, expiresAt, uses: 0 });
    return `${this.#workspace.settings.url()}/respond/${id}`;
  }

  /** Status and text of the answer. */
  answer(id: string, body: string): { readonly status: number; readonly text: string } {
    const url = this.#urls.get(id);
    if (!url) return { status: 404, text: "no_such_url" };
    if (this.#workspace.now() >= url.expiresAt) return { status: 404, text: "expired_url" };
    if (url.uses >= SLACK_LIMITS.responseUrlUses) return { status: 404, text: "used_url" };
    url.uses += 1;
    try {
      this.#carryOut(url, Args.parse(body, "application/json"));
      return { status: 200, text: "ok" };
    } catch (error) {
      if (!(error instanceof SlackFailure)) throw error;
      return { status: 400, text: error.code };
    }
  }

  /** What an acknowledgement says is said to the person alone, unless it wants otherwise. */
  say(user: string, channel: string, answer: unknown): void {
    if (!isRecord(answer) || (answer["text"] === undefined && answer["blocks"] === undefined))
      return;
    const { text, blocks } = readReplyBody(new Args(answer));
    this.#post(user, channel, answer["response_type"], { text, blocks });
  }

  #carryOut({ user, channel, message }: ResponseUrl, args: Args): void {
    if (args.flag("delete_original")) {
      if (message) this.#workspace.delete(message);
      return;
    }
    const body = readReplyBody(args);
    if (args.flag("replace_original") && message) {
      const change = () => void Object.assign(message, body);
      if (message.onlyFor === undefined) this.#workspace.edit(message, change, false);
      else change();
      return;
    }
    this.#post(user, channel, args.text("response_type"), body);
  }

  #post(
    user: string,
    channel: string,
    type: unknown,
    { text, blocks }: Pick<SlackMessage, "text" | "blocks">,
  ): void {
    this.#workspace.post({
      channel,
      user: this.#workspace.settings.app.bot,
      isFromApp: true,
      text,
      blocks,
      ...(type !== "in_channel" && { onlyFor: user }),
    });
  }
}
