import { mayAnswer } from "./permission.ts";
import { mayDecide, type Role } from "./role.ts";
import type { InboxItem, OpenTurn } from "./store.ts";

/**
 * The open turn that an item is about and its person may not decide about: somebody else's to cancel, to give another
 * text, or that asks for the very message that is posted; or one whose question they may not answer this way. Whoever
 * owns the conversation asks again: this only knows what is committed.
 */
export function findRefusal(
  item: InboxItem,
  turns: readonly OpenTurn[],
  roleOf: (user: string) => Role | undefined,
): OpenTurn | undefined {
  const { user } = item;
  if (user === undefined) return undefined;
  const turn = turns.find((one) => isAbout(item, one));
  if (!turn) return undefined;
  const role = item.kind === "cancel" && item.implied ? undefined : roleOf(user);
  const ask = item.kind === "answer" && turn.asks.find(({ id }) => id === item.permission);
  const isTheirs = ask ? mayAnswer(ask, item.option, user, role) : mayDecide(user, turn.who, role);
  return isTheirs ? undefined : turn;
}

function isAbout(item: InboxItem, { turn, key, asks }: OpenTurn): boolean {
  switch (item.kind) {
    case "prompt":
      return turn === item.replaces || (item.key !== "" && key === item.key);
    case "answer":
      return asks.some(({ id }) => id === item.permission);
    case "cancel":
    case "reset":
      return turn === item.turn;
    case "reaction":
    case "choose":
    case "revoke":
    case "redact":
    case "send":
      return false;
  }
}
