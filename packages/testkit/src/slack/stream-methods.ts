import type { Args } from "./args.ts";
import { formatStream } from "./block-text.ts";
import { checkBlocks } from "./blocks.ts";
import { readMetadata, readOwn, readThread } from "./chat-methods.ts";
import { type Chunk, type Payload, parsePayload, type TaskUpdate } from "./chunks.ts";
import { SlackFailure } from "./failure.ts";
import { countChars, SLACK_LIMITS } from "./limits.ts";
import type { Methods } from "./method.ts";
import type {
  SlackChannel,
  SlackMessage,
  SlackSession,
  SlackStream,
  SlackTask,
} from "./records.ts";
import { formatMessage, threadKey, type Workspace } from "./workspace.ts";

export const streamMethods: Methods = {
  "chat.startStream": {
    rate: 2,
    scope: "chat:write",
    run(workspace, args) {
      const channel = workspace.writable(args.required("channel", "channel_not_found"));
      const threadTs = readThread(workspace, channel.id, args);
      // Which word the platform has for this is not documented.
      if (threadTs === undefined) throw new SlackFailure("missing_thread_ts");
      if (channel.refusesStreams) throw new SlackFailure("channel_type_not_supported");
      const recipient = readRecipient(workspace, channel, args);
      const payload = parsePayload(args);
      const at = workspace.now();
      const stream: SlackStream = {
        state: "in_progress",
        mode: undefined,
        startedAt: at,
        touchedAt: at,
        recipient,
        parts: [],
        plan: undefined,
        firstSight: undefined,
      };
      add(stream, payload);
      const message = workspace.post({
        channel: channel.id,
        user: workspace.settings.app.bot,
        isFromApp: true,
        text: "",
        threadTs,
        stream,
      });
      if (channel.kind !== "im") stream.firstSight = formatStream(stream);
      setSession(workspace, message, "processing");
      watch(workspace, message);
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.appendStream": {
    rate: 4,
    scope: "chat:write",
    run(workspace, args) {
      const message = readLive(workspace, args);
      const payload = parsePayload(args);
      if (payload.chunks.length === 0) throw new SlackFailure("no_text");
      add(message.stream, payload);
      message.stream.touchedAt = workspace.now();
      return { channel: message.channel, ts: message.ts };
    },
  },
  "chat.stopStream": {
    rate: 2,
    scope: "chat:write",
    run(workspace, args) {
      const message = readLive(workspace, args);
      const blocks = args.list("blocks", "invalid_blocks");
      checkBlocks(blocks);
      const metadata = readMetadata(args);
      const status = readSessionStatus(args.text("session_status") || "active");
      add(message.stream, parsePayload(args));
      const change = () => {
        seal(message.stream, "completed");
        message.blocks = blocks;
        if (metadata) message.metadata = metadata;
      };
      workspace.edit(message, change, false);
      setSession(workspace, message, status);
      return {
        channel: message.channel,
        ts: message.ts,
        message: formatMessage(workspace, message),
      };
    },
  },
};

/** Ends what is live in a thread, as the person's Stop does. */
export function stopStreams(workspace: Workspace, channel: string, threadTs: string): void {
  for (const message of workspace.thread(channel, threadTs)) {
    expire(workspace, message);
    if (message.stream?.state === "in_progress") seal(message.stream, "stopped");
  }
}

/** @throws SlackFailure for a status that a session cannot have. */
export function readSessionStatus(status: string): SlackSession["status"] {
  const known = ["active", "processing", "suspended", "closed"] as const;
  const found = known.find((each) => each === status);
  if (!found) throw new SlackFailure("invalid_arguments");
  return found;
}

/** An end that nobody asked for is found by who looks. */
export function expire(workspace: Workspace, { stream }: SlackMessage): void {
  if (stream?.state !== "in_progress") return;
  const since = workspace.settings.streamLife === "idle" ? stream.touchedAt : stream.startedAt;
  if (workspace.now() - since >= SLACK_LIMITS.streamLifeMs) seal(stream, "errored");
}

type LiveMessage = SlackMessage & { stream: SlackStream };

function readLive(workspace: Workspace, args: Args): LiveMessage {
  const channel = workspace.channel(args.required("channel", "channel_not_found"));
  const message = readOwn(workspace, channel.id, args, "message_not_owned_by_app");
  expire(workspace, message);
  if (message.stream?.state === "stopped") throw new SlackFailure("stopped_by_user");
  if (message.stream?.state !== "in_progress") {
    throw new SlackFailure("message_not_in_streaming_state");
  }
  return message as LiveMessage;
}

function readRecipient(
  workspace: Workspace,
  channel: SlackChannel,
  args: Args,
): string | undefined {
  const [member] = [...channel.members].filter((id) => !workspace.users.get(id)?.isBot);
  if (channel.kind === "im" && !args.has("recipient_user_id")) return member;
  const id = args.required("recipient_user_id", "missing_recipient_user_id");
  const team = args.required("recipient_team_id", "missing_recipient_team_id");
  const user = workspace.users.get(id);
  if (!user) throw new SlackFailure("user_not_found");
  if (user.team !== team) throw new SlackFailure("team_access_not_granted");
  return id;
}

/** Adds all of a payload or, when it is too much, nothing. */
function add(stream: SlackStream, { mode, chunks }: Payload): void {
  if (mode && stream.mode && mode !== stream.mode)
    throw new SlackFailure("streaming_mode_mismatch");
  const next: SlackStream = structuredClone(stream);
  for (const chunk of chunks) addChunk(next, chunk);
  if (countPayload(next) > SLACK_LIMITS.messageChars) throw new SlackFailure("msg_too_long");
  if (countBlocks(next) > SLACK_LIMITS.messageBlocks) throw new SlackFailure("msg_blocks_too_many");
  stream.mode ??= mode;
  stream.plan = next.plan;
  stream.parts.splice(0, stream.parts.length, ...next.parts);
}

function addChunk(stream: SlackStream, chunk: Chunk): void {
  const last = stream.parts.at(-1);
  switch (chunk.kind) {
    case "text":
      if (last?.kind === "text") last.text += chunk.text;
      else stream.parts.push({ kind: "text", text: chunk.text });
      return;
    case "plan":
      stream.plan = chunk.title;
      return;
    case "task":
      addTask(stream, chunk.update);
      return;
    case "blocks":
      stream.parts.push({ kind: "blocks", blocks: chunk.blocks });
  }
}

function addTask(stream: SlackStream, { id, title, status, details, output }: TaskUpdate): void {
  let task = tasksOf(stream).find((each) => each.id === id);
  if (!task) {
    if (title === undefined) throw new SlackFailure("invalid_chunks");
    task = { id, title, status: "pending", details: "", output: "" };
    stream.parts.push({ kind: "task", task });
  }
  task.title = title ?? task.title;
  task.status = status ?? task.status;
  task.details += details;
  task.output += output;
}

function tasksOf(stream: SlackStream): readonly SlackTask[] {
  return stream.parts.flatMap((part) => (part.kind === "task" ? [part.task] : []));
}

/** Tasks and plan count beside the text. */
function countPayload(stream: SlackStream): number {
  const tasks = tasksOf(stream).map(({ title, details, output }) => title + details + output);
  const texts = stream.parts.map((part) => (part.kind === "text" ? part.text : ""));
  return countChars([...texts, ...tasks, stream.plan ?? ""].join(""));
}

/** A stretch of text, and a card, is one block each. */
function countBlocks({ parts }: SlackStream): number {
  return parts.reduce((sum, part) => sum + (part.kind === "blocks" ? part.blocks.length : 1), 0);
}

/** A card that is still running has failed. */
function seal(stream: SlackStream, state: SlackStream["state"]): void {
  stream.state = state;
  stream.firstSight = undefined;
  for (const task of tasksOf(stream)) if (task.status === "in_progress") task.status = "error";
}

function watch(workspace: Workspace, message: SlackMessage): void {
  const look = () => {
    expire(workspace, message);
    const { stream } = message;
    if (stream?.state !== "in_progress") return;
    workspace.clock.after(stream.touchedAt + SLACK_LIMITS.streamLifeMs - workspace.now(), look);
  };
  workspace.clock.after(SLACK_LIMITS.streamLifeMs, look);
}

function setSession(
  workspace: Workspace,
  { channel, threadTs = "" }: SlackMessage,
  status: SlackSession["status"],
): void {
  const key = threadKey(channel, threadTs);
  const before = workspace.sessions.get(key);
  workspace.sessions.set(key, { ...before, status, since: workspace.now() });
}
