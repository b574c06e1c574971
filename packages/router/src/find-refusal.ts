import { mayDecide, type Role } from "./role.ts";
import type { InboxItem, OpenTurn } from "./store.ts";

/**
 * The open turn of somebody else that an item is about and its person may not decide about: one to cancel, whose
 * question to answer, to give another text, or that asks for the very message that is posted. Whoever owns the
 * conversation asks again: this only knows what is committed.
 */
export function findRefusal(
  item: InboxItem,
  turns: readonly OpenTurn[],
  roleOf: (user: string) => Role | undefined,
): OpenTurn | undefined {
  const { user } = item;
  if (user === undefined) return undefined;
  const turn = turns.find((one) => isAbout(item, one));
  const role = item.kind === "cancel" && item.implied ? undefined : roleOf(user);
  return turn && !mayDecide(user, turn.who, role) ? turn : undefined;
}

function isAbout(item: InboxItem, { turn, key, asks }: OpenTurn): boolean {
  switch (item.kind) {
    case "prompt":
      return turn === item.replaces || (item.key !== "" && key === item.key);
    case "answer":
      return asks.some(({ id }) => id === item.permission);
    case "cancel":
      return turn === item.turn;
    case "reaction":
    case "reset":
    case "choose":
      return false;
  }
}
