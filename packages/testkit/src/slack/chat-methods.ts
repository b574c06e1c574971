import type { Args } from "./args.ts";
import { checkBlocks, type SlackBlock } from "./blocks.ts";
import { refuse, SlackFailure } from "./failure.ts";
import { countChars, SLACK_LIMITS } from "./limits.ts";
import type { Methods } from "./method.ts";
import type { SlackMessage } from "./records.ts";
import { formatMessage, type Workspace } from "./workspace.ts";

export const chatMethods: Methods = {
  "chat.postMessage": {
    rate: "posting",
    scope: "chat:write",
    run(workspace, args) {
      const channel = workspace.writable(args.required("channel", "channel_not_found"));
      const { text, blocks, warning } = readBody(args, SLACK_LIMITS.messageChars);
      const threadTs = readThread(workspace, channel.id, args);
      const message = workspace.post({
        channel: channel.id,
        user: workspace.settings.app.bot,
        isFromApp: true,
        text,
        blocks,
        threadTs,
        metadata: readMetadata(args),
      });
      return {
        channel: channel.id,
        ts: message.ts,
        message: formatMessage(workspace, message),
        ...(warning !== undefined && { warning, response_metadata: { warnings: [warning] } }),
      };
    },
  },
  "chat.postEphemeral": {
    rate: 4,
    scope: "chat:write",
    run(workspace, args) {
      const channel = workspace.writable(args.required("channel", "channel_not_found"));
      const user = args.required("user", "user_not_in_channel");
      if (!channel.members.has(user)) throw new SlackFailure("user_not_in_channel");
      const { text, blocks } = readBody(args, SLACK_LIMITS.messageChars);
      const message = workspace.post({
        channel: channel.id,
        user: workspace.settings.app.bot,
        isFromApp: true,
        text,
        blocks,
        threadTs: args.has("thread_ts") ? args.text("thread_ts") : undefined,
        onlyFor: user,
      });
      return { message_ts: message.ts };
    },
  },
  "chat.update": {
    rate: 3,
    scope: "chat:write",
    run(workspace, args) {
      const channel = workspace.writable(args.required("channel", "channel_not_found"));
      const message = readOwn(workspace, channel.id, args, "cant_update_message");
      if (message.stream?.state === "in_progress")
        throw new SlackFailure("streaming_state_conflict");
      const { text, blocks } = readBody(args, SLACK_LIMITS.updateChars, "strict");
      if (message.stream && blocks.length === 0) {
        refuse("block_mismatch", "rich-text can't be replaced with non-rich-text");
      }
      const metadata = readMetadata(args);
      const change = () => {
        message.text = text;
        message.blocks = blocks;
        if (metadata) message.metadata = metadata;
        delete message.stream;
      };
      workspace.edit(message, change, false);
      return {
        channel: channel.id,
        ts: message.ts,
        text,
        message: formatMessage(workspace, message),
      };
    },
  },
  "chat.delete": {
    rate: 3,
    scope: "chat:write",
    run(workspace, args) {
      const channel = workspace.writable(args.required("channel", "channel_not_found"));
      const message = readOwn(workspace, channel.id, args, "cant_delete_message");
      workspace.delete(message);
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.getPermalink": {
    rate: "free",
    run(workspace, args) {
      const channel = workspace.channel(args.required("channel", "channel_not_found"));
      const ts = args.required("message_ts", "message_not_found");
      if (!workspace.find(channel.id, ts)) throw new SlackFailure("message_not_found");
      const path = `archives/${channel.id}/p${ts.replace(".", "")}`;
      return { channel: channel.id, permalink: `https://acme.slack.com/${path}` };
    },
  },
};

/** The thread that a post goes to, which must be one. */
export function readThread(workspace: Workspace, channel: string, args: Args): string | undefined {
  if (!args.has("thread_ts")) return undefined;
  const ts = args.text("thread_ts");
  const root = workspace.find(channel, ts);
  if (!root) throw new SlackFailure("invalid_thread_ts");
  return root.threadTs ?? ts;
}

export function readMetadata(args: Args): Readonly<Record<string, unknown>> | undefined {
  const metadata = args.record("metadata", "invalid_metadata_format");
  if (metadata && typeof metadata["event_type"] !== "string") {
    throw new SlackFailure("invalid_metadata_format");
  }
  return metadata;
}

/** @throws SlackFailure unless the message is the app's. */
export function readOwn(
  workspace: Workspace,
  channel: string,
  args: Args,
  otherwise: string,
): SlackMessage {
  const message = workspace.find(channel, args.required("ts", "message_not_found"));
  if (!message || message.onlyFor !== undefined) throw new SlackFailure("message_not_found");
  if (!message.isFromApp) throw new SlackFailure(otherwise);
  return message;
}

type Body = {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  readonly warning?: string;
};

/** @param mode - Whether a text that is too long is cut or refused. */
function readBody(args: Args, maxChars: number, mode: "cut" | "strict" = "cut"): Body {
  const text = args.text("text");
  const blocks = args.list("blocks", "invalid_blocks_format");
  if (args.has("markdown_text")) {
    if (text !== "" || blocks.length > 0) throw new SlackFailure("markdown_text_conflict");
    const markdown = args.text("markdown_text");
    if (countChars(markdown) > SLACK_LIMITS.markdownChars) throw new SlackFailure("msg_too_long");
    return { text: "", blocks: [{ type: "markdown", text: markdown }] };
  }
  if (text === "" && blocks.length === 0) throw new SlackFailure("no_text");
  checkBlocks(blocks);
  if (countChars(text) <= maxChars) return { text, blocks };
  if (mode === "strict") throw new SlackFailure("msg_too_long");
  return { text: [...text].slice(0, maxChars).join(""), blocks, warning: "message_truncated" };
}

/** What a response to an interaction may hold in the place of a message. */
export function readReplyBody(args: Args): Body {
  return readBody(args, SLACK_LIMITS.messageChars);
}
