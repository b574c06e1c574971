import { type Args, isRecord } from "./args.ts";
import { checkBlocks, type SlackBlock } from "./blocks.ts";
import { refuse, SlackFailure } from "./failure.ts";
import { countChars, SLACK_LIMITS } from "./limits.ts";

export type TaskUpdate = {
  readonly id: string;
  readonly title: string | undefined;
  readonly status: "pending" | "in_progress" | "complete" | "error" | undefined;
  readonly details: string;
  readonly output: string;
};

/** What one call adds to a stream. */
export type Chunk =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "task"; readonly update: TaskUpdate }
  | { readonly kind: "plan"; readonly title: string }
  | { readonly kind: "blocks"; readonly blocks: readonly SlackBlock[] };

export type Payload = {
  readonly mode: "text" | "chunks" | undefined;
  readonly chunks: readonly Chunk[];
};

const statuses: readonly unknown[] = ["pending", "in_progress", "complete", "error"];

/** @throws SlackFailure */
export function parsePayload(args: Args): Payload {
  const chunks = args.list("chunks", "invalid_chunks");
  if (args.has("markdown_text") && args.has("chunks")) {
    throw new SlackFailure("cannot_provide_both_markdown_text_and_chunks");
  }
  if (args.has("markdown_text")) {
    return { mode: "text", chunks: [parseText(args.text("markdown_text"))] };
  }
  if (!args.has("chunks")) return { mode: undefined, chunks: [] };
  return { mode: "chunks", chunks: chunks.map(parseChunk) };
}

function parseChunk(chunk: Record<string, unknown>): Chunk {
  switch (chunk["type"]) {
    case "markdown_text":
      if (typeof chunk["text"] !== "string") refuse("invalid_chunks", "a chunk has no text");
      return parseText(chunk["text"]);
    case "plan_update":
      return { kind: "plan", title: readField(chunk, "title") ?? "" };
    case "task_update": {
      const id = readField(chunk, "id");
      if (id === undefined || id === "") refuse("invalid_chunks", "a task has no id");
      const status = chunk["status"];
      if (status !== undefined && !statuses.includes(status)) {
        refuse("invalid_chunks", `a task has no status ${String(status)}`);
      }
      return {
        kind: "task",
        update: {
          id,
          title: readField(chunk, "title"),
          status: status as TaskUpdate["status"],
          details: readField(chunk, "details") ?? "",
          output: readField(chunk, "output") ?? "",
        },
      };
    }
    case "blocks": {
      const { blocks } = chunk;
      if (!Array.isArray(blocks) || !blocks.every(isRecord)) refuse("invalid_chunks", "no blocks");
      checkBlocks(blocks);
      return { kind: "blocks", blocks };
    }
    default:
      return refuse("invalid_chunks", `no chunk has the type ${String(chunk["type"])}`);
  }
}

function parseText(text: string): Chunk {
  if (countChars(text) > SLACK_LIMITS.markdownChars) throw new SlackFailure("msg_too_long");
  return { kind: "text", text };
}

function readField(chunk: Record<string, unknown>, name: string): string | undefined {
  const value = chunk[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") refuse("invalid_chunks", `${name} is no text`);
  if (countChars(value) > SLACK_LIMITS.taskChars) {
    refuse("invalid_chunks", `${name} must be less than ${SLACK_LIMITS.taskChars + 1} characters`);
  }
  return value;
}
