import type { ContentBlock } from "@acp-kit/acp-wire";
import { MAX_EVENT_CHARS } from "./session-update.ts";
import type { PromptItem } from "./store.ts";
import type { Attachment, Turn } from "./transcript.ts";

/** The message that a query asks to be answered: its newest one of a person. */
export function findRequest(query: readonly Turn[]): Turn | undefined {
  return query.findLast((turn) => turn.role === "user");
}

/** True when there is something to send: any text, white space included, or a file. */
export function hasContent(turn: Turn): boolean {
  return turn.content !== "" || reachable(turn.attachments).length > 0;
}

/** What a message without words says. */
export function describeAttachments(attachments: readonly Attachment[]): string {
  const files = reachable(attachments);
  const noun = files.every((file) => file.contentType.startsWith("image/")) ? "image" : "file";
  if (files.length === 1) return `[User attached ${noun === "image" ? "an image" : "a file"}]`;
  return `[User attached ${files.length} ${noun}s]`;
}

/** What comes in front of a message. */
export type Preface = {
  /** Standing instructions of the operator, for an agent that takes none when a session is opened. */
  readonly systemPrompt?: string | undefined;
  /** What was said and the session has not heard, framed as data. */
  readonly history?: string | undefined;
  /** Who wrote the message, where several people talk. */
  readonly speaker?: string | undefined;
};

/** What the agent is sent for a message, without its files. */
export function createPromptBlocks(request: Turn, preface: Preface = {}): ContentBlock[] {
  const text = request.content === "" ? describeAttachments(request.attachments) : request.content;
  const { systemPrompt, history, speaker } = preface;
  const front = [
    systemPrompt && `${systemPrompt}\n\n${STANDING}`,
    history,
    speaker && `The next message is from ${JSON.stringify(speaker)}.`,
  ].filter(Boolean);
  return [...front, text].map((part) => ({ type: "text" as const, text: part ?? "" }));
}

/** Behind a system prompt that goes with a message, so that an agent which summarises keeps it. */
const STANDING =
  "(The text above is standing context of this conversation, set by its operator. Keep it word for word in any summary.)";

/** Whether a text would be read as a command of the agent. */
export function isCommand(text: string): boolean {
  return text.startsWith("/");
}

/**
 * The text as it may reach an agent: with a space in front of a leading slash, unless it calls a command that the relay
 * allows and the agent has said that it has.
 *
 * @param allowed - Names without the slash.
 * @param advertised - Names as the agent sent them, with or without the slash.
 */
export function neutraliseCommand(
  text: string,
  allowed: readonly string[],
  advertised: readonly string[],
): string {
  if (!isCommand(text)) return text;
  const name = findCommand(text, advertised);
  return name !== undefined && allowed.includes(name) ? text : ` ${text}`;
}

/** Name of the command of the agent's that a text would call. */
export function findCommand(text: string, advertised: readonly string[]): string | undefined {
  const name = /^\/(\S+)/.exec(text)?.[1];
  return advertised.some((one) => one.replace(/^\//, "") === name) ? name : undefined;
}

function reachable(attachments: readonly Attachment[]): readonly Attachment[] {
  return attachments.filter((file) => file.url !== "");
}

/** The new version of a message whose earlier one the agent is working on. */
export function asCorrection(item: PromptItem): PromptItem {
  const request = findRequest(item.query);
  if (!request) return item;
  const content = item.text ?? request.content;
  const text = `I have changed the message that you are working on. It now reads:\n\n${content}`;
  return { ...item, text };
}

/** The words of a message, as far as an event of the log takes them. */
export function textOf({ text, query }: PromptItem): string {
  return (text ?? findRequest(query)?.content ?? "").slice(0, MAX_EVENT_CHARS);
}
