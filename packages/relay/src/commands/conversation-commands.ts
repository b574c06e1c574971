import type { Attachment, OpenTurn, Turn } from "@acp-kit/router";
import { type CommandCall, type CommandOutcome, refuse, reply } from "./command-context.ts";
import { parseCommand } from "./parse-command.ts";
import { labelOf, readLabels } from "./read-labels.ts";
import { readNewest } from "./read-newest.ts";
import { replies } from "./replies.ts";

/** `!new`: ends what runs, and forgets. */
export async function startAfresh({ host, message, key }: CommandCall): Promise<CommandOutcome> {
  const { conversation, user, at } = message;
  const { router } = host;
  if ((await router.log(conversation).last()) === 0) return reply(replies.freshAlready());
  const [first] = await router.openTurns(conversation);
  const running = first?.started ? { turn: first.turn } : {};
  const posted = await router.submit(conversation, { kind: "reset", key, user, ...running, at });
  return posted.how === "refused" ? refuse(replies.notYours()) : reply(replies.fresh());
}

/** `!retry`: the last message, as its own words stand in the transcript, as the message that asks for it. */
export async function runAgain(call: CommandCall): Promise<CommandOutcome> {
  const { host, message } = call;
  const last = await host.router.lastTurn(message.conversation);
  if (!last) return reply(replies.nothingToRetry());
  if (!mayDecide(call, last)) return refuse(replies.notYours());
  const open = await host.router.openTurns(message.conversation);
  const isRepeat = message.key !== "" && last.key === message.key;
  if (!isRepeat && open.some(({ turn }) => turn === last.turn)) return reply(replies.stillRuns());
  const { content, attachments } = originalOf(message.query, last.key) ?? {
    content: last.text,
    attachments: [],
  };
  // The log keeps the beginning only of a long message; the transcript has all of it.
  const text = content.startsWith(last.text) ? content : last.text;
  return { kind: "prompt", text, attachments };
}

/** The message of a key; where that one asked for another to be run again, the one that it asked for. */
function originalOf(
  query: readonly Turn[],
  key: string,
): { readonly content: string; readonly attachments: readonly Attachment[] } | undefined {
  const at = query.findIndex(({ messageId, role }) => role === "user" && messageId === key);
  return query.slice(0, at + 1).findLast(({ role, content }) => {
    const parsed = parseCommand(content);
    return role === "user" && !(parsed?.kind === "command" && parsed.name === "retry");
  });
}

/** `!last`. */
export async function showAgain({ host, message }: CommandCall): Promise<CommandOutcome> {
  const last = await host.router.lastTurn(message.conversation);
  if (!last) return reply(replies.nothingToShow());
  const open = await host.router.openTurns(message.conversation);
  if (open.length > 0) return reply(replies.stillRuns());
  return { kind: "show", turn: last };
}

const DROP = /^(?:drop|rm|remove|delete)\s+(?:(\d{1,2})|all)$/i;

/** `!queue`. */
export async function manageQueue(call: CommandCall): Promise<CommandOutcome> {
  const { host, message, argument, key } = call;
  const { conversation, user, at } = message;
  const { router } = host;
  const open = await router.openTurns(conversation);
  const waiting = open.filter(({ started }) => !started);
  if (argument === "") {
    const running = open.find(({ started }) => started);
    const labels = await readLabels(readNewest(router, conversation), open);
    return reply(
      replies.queue(
        running && labelOf(labels, running.turn),
        waiting.map(({ turn }) => labelOf(labels, turn)),
      ),
    );
  }
  const [match, number] = DROP.exec(argument) ?? [];
  if (match === undefined) return reply(replies.usage("queue"));
  const chosen = number === undefined ? waiting : waiting.slice(Number(number) - 1, Number(number));
  if (number !== undefined && chosen.length === 0) {
    return reply(replies.noSuchEntry("queue", number));
  }
  const theirs = chosen.filter((turn) => mayDecide(call, turn));
  if (chosen.length > 0 && theirs.length === 0) return refuse(replies.notYours());
  for (const [nth, { turn }] of theirs.entries()) {
    // Numbers move: the same message again must not drop what has taken the place.
    const item = { kind: "cancel", key: `${key}#${nth}`, turn, cause: "user" } as const;
    await router.submit(conversation, { ...item, user, at });
  }
  return reply(replies.dropped(theirs.length));
}

/** `!revoke`. */
export async function manageGrants(call: CommandCall): Promise<CommandOutcome> {
  const { host, message, argument, key } = call;
  const { conversation, user, at } = message;
  const grants = await host.router.grants(user);
  if (argument === "" || grants.length === 0) return reply(replies.grants(grants));
  const isAll = argument.toLowerCase() === "all";
  if (!isAll && !/^\d{1,2}$/.test(argument)) return reply(replies.usage("revoke"));
  const grant = isAll ? undefined : grants[Number(argument) - 1];
  if (!isAll && !grant) return reply(replies.noSuchEntry("revoke", argument));
  const rules = grant && { rules: [grant.rule] };
  await host.router.submit(conversation, { kind: "revoke", key, user, ...rules, at });
  return reply(replies.revoked(isAll ? grants.length : 1));
}

/** May whoever writes decide about what belongs to somebody? */
function mayDecide({ message }: CommandCall, { who }: Pick<OpenTurn, "who">): boolean {
  const { user, role } = message;
  return user === who || role === "approver" || role === "operator";
}
