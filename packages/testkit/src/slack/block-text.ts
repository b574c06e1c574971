import { isRecord } from "./args.ts";
import type { SlackBlock } from "./blocks.ts";
import type { SlackMessage, SlackStream, SlackTask } from "./records.ts";

const marks: Readonly<Record<string, string>> = {
  pending: "▫️",
  in_progress: "⏳",
  complete: "✅",
  error: "❌",
};

/** What a person can read of a message: its blocks where it has some, else its text. Buttons in brackets. */
export function readableText(message: Pick<SlackMessage, "text" | "blocks" | "stream">): string {
  const blocks = message.blocks.map(formatBlock).filter((text) => text !== "");
  if (message.stream) return [formatStream(message.stream).trimEnd(), ...blocks].join("\n").trim();
  return message.blocks.length > 0 ? blocks.join("\n") : message.text;
}

/** Those parts of a message in which the platform finds mentions: in plain text and in code it looks for none. */
export function resolvedText(message: Pick<SlackMessage, "text" | "blocks" | "stream">): string {
  const { text, blocks, stream } = message;
  const parts = stream?.parts.map((part) =>
    part.kind === "text"
      ? part.text
      : part.kind === "task"
        ? formatTask(part.task)
        : part.blocks.map(resolvedIn).join("\n"),
  );
  const resolved = [...(parts ?? []), ...blocks.map(resolvedIn)];
  return stream || blocks.length > 0 ? resolved.join("\n") : text;
}

function resolvedIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(resolvedIn).join("\n");
  if (!isRecord(value)) return "";
  if (value["type"] === "mrkdwn" || value["type"] === "markdown") return textOf(value["text"]);
  if (value["type"] === "user" || value["type"] === "broadcast") return plainText(value);
  return [value["text"], value["fields"], value["elements"], value["accessory"]]
    .map(resolvedIn)
    .join("\n");
}

/** The whole of a stream so far. */
export function formatStream(stream: SlackStream): string {
  const plan = stream.plan === undefined ? "" : `${stream.plan}\n`;
  let text = plan;
  let isBehindTask = false;
  for (const part of stream.parts) {
    if (part.kind === "text") text += part.text;
    // Cards stand close together.
    else if (part.kind === "task") text += `${isBehindTask ? "" : "\n"}${formatTask(part.task)}\n`;
    else text += `\n${part.blocks.map(formatBlock).join("\n")}\n`;
    isBehindTask = part.kind === "task";
  }
  return text;
}

function formatTask({ title, status, details, output }: SlackTask): string {
  const rest = [details, output].filter((text) => text !== "").map((text) => `\n   ${text}`);
  return `${marks[status]} ${title}${rest.join("")}`;
}

/** One block, as plain text. */
export function formatBlock(block: SlackBlock): string {
  switch (block["type"]) {
    case "markdown":
      return String(block["text"]);
    case "section":
    case "header":
      return [
        textOf(block["text"]),
        ...listOf(block["fields"]).map(textOf),
        ...(isRecord(block["accessory"]) ? [formatElement(block["accessory"])] : []),
      ]
        .filter((text) => text !== "")
        .join("\n");
    case "actions":
    case "context":
    case "context_actions":
      return listOf(block["elements"]).map(formatElement).join(" ");
    case "divider":
      return "---";
    case "image":
      return `[image ${textOf(block["alt_text"])}]`;
    case "task_card":
      return `${marks[String(block["status"])] ?? ""} ${textOf(block["title"])}`.trim();
    case "plan":
      return [textOf(block["title"]), ...listOf(block["tasks"]).map(formatBlock)].join("\n");
    case "rich_text":
      return plainText(block);
    case "table":
      return listOf(block["rows"])
        .map((row) => `| ${(Array.isArray(row) ? row : []).map(plainText).join(" | ")} |`)
        .join("\n");
    case "input":
      return `${textOf(block["label"])}: ____`;
    default:
      return plainText(block);
  }
}

function formatElement(element: unknown): string {
  if (!isRecord(element)) return "";
  if (element["type"] === "button") return `[${textOf(element["text"])}]`;
  return textOf(element["text"]) || `[${String(element["type"])}]`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) && typeof value["text"] === "string" ? value["text"] : "";
}

function listOf(value: unknown): readonly SlackBlock[] {
  return Array.isArray(value) ? value : [];
}

/** All texts in a block of any make. */
function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join("");
  if (!isRecord(value)) return "";
  if (value["type"] === "user") return `<@${String(value["user_id"])}>`;
  if (value["type"] === "broadcast") return `<!${String(value["range"])}>`;
  if (typeof value["text"] === "string") return value["text"];
  if (typeof value["url"] === "string") return value["url"];
  return [value["text"], value["title"], value["elements"], value["child_blocks"]]
    .map(plainText)
    .join("");
}

/** A button that can still be pressed. */
export type LiveButton = {
  readonly channel: string;
  readonly ts: string;
  readonly blockId: string;
  readonly actionId: string;
  readonly text: string;
  readonly value: string;
};

/** The buttons of a message. */
export function findButtons(message: SlackMessage): readonly LiveButton[] {
  const streamed = message.stream?.parts.flatMap((part) =>
    part.kind === "blocks" ? part.blocks : [],
  );
  return [...(streamed ?? []), ...message.blocks].flatMap((block) =>
    [...listOf(block["elements"]), ...(isRecord(block["accessory"]) ? [block["accessory"]] : [])]
      .filter(({ type }) => type === "button")
      .map((button) => ({
        channel: message.channel,
        ts: message.ts,
        blockId: textOf(block["block_id"]),
        actionId: textOf(button["action_id"]),
        text: textOf(button["text"]),
        value: textOf(button["value"]),
      })),
  );
}
