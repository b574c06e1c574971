import { isAside } from "@acp-kit/relay";
import type { Turn } from "@acp-kit/router";
import { z } from "zod";
import { attachmentsOf } from "../files/attachments-of.ts";
import { describeFile } from "../files/describe-file.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { decodeSlackText } from "./decode-text.ts";
import { messageSchema, type WireMessage } from "./event-schema.ts";
import { formatSpeaker } from "./format-speaker.ts";
import type { SlackPlace } from "./heard.ts";
import { judgeAuthor } from "./judge-author.ts";
import { judgeSomebody } from "./judge-person.ts";
import { formatMessageKey, isSpoken } from "./parse-event.ts";

/** Earlier messages that an agent is told; of more the newest. */
export const MAX_EARLIER = 50;

/** Messages of a page, and pages: the oldest come first, and the newest are wanted. */
const PAGE_MESSAGES = 200;
const MAX_PAGES = 10;

/** How long all of it may take, in milliseconds: until then nothing is acknowledged. */
export const EARLIER_WAIT_MS = 1_200;

const pageSchema = z.object({
  messages: z.array(messageSchema),
  has_more: z.boolean().catch(false),
  response_metadata: z.object({ next_cursor: z.string() }).partial().catch({}),
});

/** Instants as the platform's `ts`. */
export type ThreadPart = {
  /** Nothing that was said then or before it is read. From the beginning where it is absent. */
  readonly after?: string | undefined;
  readonly before: string;
};

/**
 * What was said in a part of a thread, oldest first, for an agent that has not been there. Of people who may not talk
 * there is only that they were there. Empty when the platform refuses it: nothing depends on it.
 */
export async function readThread(
  workspace: SlackWorkspace,
  { channel, thread }: Pick<SlackPlace, "channel" | "thread">,
  part: ThreadPart,
): Promise<readonly Turn[]> {
  const found = await readMessages(workspace, channel, thread, part);
  const turns = found
    .slice(-MAX_EARLIER)
    .map((message) => judgeMessage(workspace, message, channel));
  // By then it is known how all of them are called.
  return (await Promise.all(turns)).flatMap((read) => read?.() ?? []);
}

async function readMessages(
  { queue, clock }: SlackWorkspace,
  channel: string,
  thread: string,
  { after, before }: ThreadPart,
): Promise<readonly WireMessage[]> {
  const deadline = clock.now() + EARLIER_WAIT_MS;
  const found: WireMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = cursor;
    const result = await queue.run({
      ...{ method: "conversations.replies", priority: "question", channel, deadline },
      args: () => ({
        ...{ channel, ts: thread, latest: before, limit: PAGE_MESSAGES },
        ...(after !== undefined && { oldest: after }),
        ...(asked !== undefined && { cursor: asked }),
      }),
    });
    const parsed = result.kind === "ok" ? pageSchema.safeParse(result.body) : undefined;
    if (!parsed?.success) return found;
    // A page may go beyond its message, and has the root of the thread, whatever was asked for.
    const isWithin = (ts: string) => Number(ts) > Number(after ?? 0) && Number(ts) < Number(before);
    found.push(...parsed.data.messages.filter(({ ts = "" }) => isWithin(ts)));
    cursor = parsed.data.response_metadata.next_cursor;
    if (!parsed.data.has_more || !cursor) return found;
  }
  return found;
}

/** Gives what reads it; nothing for a message that nobody has said to an agent. */
async function judgeMessage(
  workspace: SlackWorkspace,
  message: WireMessage,
  channel: string,
): Promise<(() => Turn | undefined) | undefined> {
  const { identity, heard } = workspace;
  const { user, bot_id: bot, ts = "", subtype } = message;
  const messageId = formatMessageKey(identity.team, channel, ts);
  // A bot is heard where a rule has its id.
  if (judgeAuthor(message, identity, { has: () => true }) !== undefined) return undefined;
  if (!isSpoken(subtype)) return undefined;
  // An answer to a question, or what was asked of the relay.
  const known = heard.message(messageId);
  if (known && known.turn === undefined) return undefined;
  const author = { user: user ?? bot ?? "", team: message.user_team ?? message.team, bot };
  const { kind } = await judgeSomebody(workspace, author, channel);
  if (kind !== "admitted") {
    return () => ({ role: "user", content: "", messageId, attachments: [], isWithheld: true });
  }
  return () => readTurn(workspace, message, author.user, messageId);
}

function readTurn(
  { context, directory }: SlackWorkspace,
  { text, files: attached }: WireMessage,
  user: string,
  messageId: string,
): Turn | undefined {
  const said = decodeSlackText(text, directory.names).trim();
  // What was pasted for a login was never there.
  if (context.commands.isSecret(said)) return undefined;
  const files = attached.map(describeFile);
  const names = files.map(({ name }) => `[attached: ${name.replaceAll(/\s+/g, " ") || "a file"}]`);
  const content = [said, ...names].filter((line) => line !== "").join("\n");
  return {
    ...{ role: "user", content, messageId, attachments: attachmentsOf(files) },
    speaker: formatSpeaker(user, directory.names.user?.(user)),
    ...(isAside(said) && { isAside: true }),
  };
}
