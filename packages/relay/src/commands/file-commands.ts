import { type CommandCall, type CommandOutcome, reply } from "./command-context.ts";
import { replies } from "./replies.ts";

/** `!diff`. */
export async function showDiff({ host, message, argument }: CommandCall): Promise<CommandOutcome> {
  const path = argument === "" ? undefined : argument;
  const changed = await host.changes?.diff(message, path);
  return reply(changed ? replies.diff(changed, path) : replies.noCheckout());
}

/** `!files`. */
export async function showFiles({ host, message }: CommandCall): Promise<CommandOutcome> {
  const changed = await host.changes?.lastTurn?.(message);
  return reply(changed ? replies.files(changed) : replies.notKnown());
}

/** `!get`: by the same rules as a file that the agent sends. */
export async function sendFile(call: CommandCall): Promise<CommandOutcome> {
  const { host, message, argument, key } = call;
  const { conversation, user, at } = message;
  if (argument === "") return reply(replies.usage("get"));
  if ((await host.router.log(conversation).last()) === 0) return reply(replies.noFiles());
  await host.router.submit(conversation, { kind: "send", key, user, path: argument, at });
  return { kind: "show-new" };
}
