import type { SlackMessage } from "@acp-kit/testkit";

/** What the app has said in a thread to everybody, but for a mention once it is done. */
export function messagesOf(
  messages: readonly SlackMessage[],
  thread: string,
): readonly SlackMessage[] {
  return messages.filter(
    ({ isFromApp, threadTs, onlyFor, text }) =>
      isFromApp && threadTs === thread && !onlyFor && !/^<@\w+> (?:done|ended) · /.test(text),
  );
}

export function isInOlderMarkup({ blocks, stream, text }: SlackMessage): boolean {
  return blocks.length === 0 && stream === undefined && text !== "";
}

/** The Markdown of a message, in the order in which it is read. */
export function markdownOf(message: SlackMessage): readonly string[] {
  const streamed = (message.stream?.parts ?? [])
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("");
  const blocks = message.blocks.flatMap((block) =>
    block["type"] === "markdown" ? [String(block["text"])] : [],
  );
  if (isInOlderMarkup(message)) return [message.text];
  return [...(streamed === "" ? [] : [streamed]), ...blocks];
}
