import { setTimeout } from "node:timers/promises";
import type { Lease } from "../store.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { Conversations } from "./conversations.ts";
import { emptyWriteAheadLog } from "./empty-write-ahead-log.ts";
import type { EventLog } from "./event-log.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Statements } from "./statements.ts";

/** Events that one transaction looks at. */
const SLICE_EVENTS = 1_000;

/** How long readers in other processes may hold up the removal of the write-ahead log, in milliseconds. */
const PATIENCE_MS = 500;

const sql = `UPDATE events SET body = json_set(body, '$.text', '')
  WHERE conversation = ?1 AND seq > ?2 AND seq <= ?3
  AND json_extract(body, '$.kind') IN ('turn-queued', 'steered')
  AND (json_extract(body, '$.key') = ?4
    OR substr(json_extract(body, '$.key'), 1, length(?4) + 1) = ?4 || '#')`;

/**
 * Empties the texts of a message and of its later versions, and overwrites them in the files. In slices, so that one which
 * was cut short is to be done again. What readers keep in the write-ahead log leaves it when it is next emptied.
 */
export async function redactMessage(
  parts: {
    readonly sql: Statements;
    readonly commits: GroupCommit;
    readonly conversations: Conversations;
    readonly feed: ChangeFeed;
    readonly log: EventLog;
  },
  lease: Lease,
  message: string,
): Promise<void> {
  const { conversation } = lease;
  const redactSlice = (after: number | undefined) => {
    const { id, first, last } = parts.conversations.owned(lease);
    const from = after ?? first - 1;
    const to = from + SLICE_EVENTS;
    if (message !== "") parts.sql.run(sql, id, from, to, message);
    // Readers of other processes have what they have read.
    parts.feed.mark(conversation, "log");
    return to < last ? to : undefined;
  };
  for (let after = await parts.commits.run(() => redactSlice(undefined)); after !== undefined; ) {
    await setTimeout(1);
    const from = after;
    after = await parts.commits.run(() => redactSlice(from));
  }
  parts.log.forget(conversation);
  await emptyWriteAheadLog(parts.sql, PATIENCE_MS);
}
