import type { PythonClient } from "./python.ts";

/** What Poe's client made of one response. */
export type Seen = {
  messages: {
    kind: string;
    text: string;
    replace: boolean;
    suggested: boolean;
    index: number | null;
    data: unknown;
    tool_calls: unknown[];
    attachment: { url: string; inline_ref: string | null } | null;
  }[];
  /** What it would report to the bot, or tried again after. */
  errors: string[];
  /** What it raised instead of ending. */
  raised: string | null;
  /** Reports that were answered while the response was open. */
  reports: number;
};

/** One query of Poe's client, by the text of its only message. */
export function askPython(
  client: PythonClient,
  target: { base: string; bot: string; key: string },
  text: string,
  more: object = {},
): Promise<Seen> {
  const messages = [{ role: "user", content: text, message_id: "m-1" }];
  return client.ask<Seen>({ do: "query", ...target, messages, ...more });
}

/** What a person would see: all texts since the last replacement. */
export function bodyOf({ messages }: Seen): string {
  let body = "";
  for (const message of messages) {
    if (message.kind === "MetaResponse" || message.suggested || message.attachment) continue;
    body = message.replace ? message.text : body + message.text;
  }
  return body;
}
