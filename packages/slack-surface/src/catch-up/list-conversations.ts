import type { SlackBot } from "@acp-kit/relay";
import { z } from "zod";
import type { SlackWorkspace } from "../workspace.ts";

const PAGE_CONVERSATIONS = 200;
/** Of each kind. */
const MAX_PAGES = 5;

/** How long a page may take, waiting for its turn included, in milliseconds. */
const PAGE_WAIT_MS = 10 * 60_000;

/** What the platform calls the kinds of conversations; those that are for the bot alone come first. */
const kinds = [
  ["direct-messages", "im"],
  ["group-messages", "mpim"],
  ["private-channels", "private_channel"],
  ["channels", "public_channel"],
] as const satisfies readonly (readonly [SlackBot["features"][number], string])[];

const pageSchema = z.object({
  channels: z.array(z.object({ id: z.string() })),
  response_metadata: z.object({ next_cursor: z.string() }).partial().catch({}),
});

export type OwnConversations = {
  readonly channels: readonly string[];
  /** False when some could not be asked for now, and may be some other time. */
  readonly isWhole: boolean;
  /** There are more of a kind than are listed. */
  readonly isCut: boolean;
};

/**
 * Which conversations the bot is in, as far as its features let it find what it missed there; at most 1,000 of a kind.
 * Each kind is asked for alone: a scope that was not granted hides its own kind and no other. Never rejects.
 */
export async function listConversations(
  workspace: Pick<SlackWorkspace, "bot" | "queue" | "clock">,
): Promise<OwnConversations> {
  const { features } = workspace.bot.settings;
  if (!features.includes("catch-up")) return { channels: [], isWhole: true, isCut: false };
  const wanted = kinds.filter(([feature]) => features.includes(feature));
  const lists = await Promise.all(wanted.map(([, type]) => listKind(workspace, type)));
  return {
    channels: lists.flatMap(({ channels }) => channels),
    isWhole: lists.every(({ isWhole }) => isWhole),
    isCut: lists.some(({ isCut }) => isCut),
  };
}

async function listKind(
  { queue, clock }: Pick<SlackWorkspace, "queue" | "clock">,
  type: string,
): Promise<OwnConversations> {
  const channels: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = cursor;
    const result = await queue.run({
      ...{ method: "users.conversations", priority: "tools", channel: "" },
      deadline: clock.now() + PAGE_WAIT_MS,
      args: () => ({
        ...{ types: type, exclude_archived: true, limit: PAGE_CONVERSATIONS },
        ...(asked !== undefined && { cursor: asked }),
      }),
    });
    if (result.kind === "refused") return { channels, isWhole: true, isCut: false };
    const parsed = result.kind === "ok" ? pageSchema.safeParse(result.body) : undefined;
    if (!parsed?.success) return { channels, isWhole: false, isCut: false };
    channels.push(...parsed.data.channels.map(({ id }) => id));
    cursor = parsed.data.response_metadata.next_cursor;
    if (!cursor) break;
  }
  return { channels, isWhole: true, isCut: Boolean(cursor) };
}
