import type { KnownSessionUpdate, SessionUpdate } from "@acp-kit/acp-wire";
import type { Mapped } from "./mapped.ts";

/** What a replay sends: the updates, with the pieces of one message joined. */
export function joinHistory(mapped: Iterable<Mapped>): SessionUpdate[] {
  const joined: KnownSessionUpdate[] = [];
  for (const each of mapped) {
    if (!("update" in each)) continue;
    const { update } = each;
    const last = joined.at(-1);
    const text = last && joinedText(last, update);
    if (last && text !== undefined) {
      joined[joined.length - 1] = { ...last, content: { type: "text", text } } as typeof update;
    } else joined.push(update);
  }
  return joined as SessionUpdate[];
}

function joinedText(last: KnownSessionUpdate, next: KnownSessionUpdate): string | undefined {
  if (!("messageId" in last && "messageId" in next) || last.messageId !== next.messageId) {
    return undefined;
  }
  if (last.content.type !== "text" || next.content.type !== "text") return undefined;
  return last.content.text + next.content.text;
}
