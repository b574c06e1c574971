import { type CommandCall, type CommandOutcome, refuse, reply } from "./command-context.ts";
import { replies } from "./replies.ts";

/** Somebody may have chosen a project for the conversation that is not open to everybody in it. */
function refuseClosed({ host, message }: CommandCall): CommandOutcome | undefined {
  const { conversation, user, bot } = message;
  const name = host.projects?.current(conversation) ?? host.bots.get(bot)?.workspace ?? "";
  const choice = { conversation, user, agent: "", setting: "workspace", value: name };
  return host.mayChoose?.(choice) === false ? refuse(replies.notOpen("project", name)) : undefined;
}

/** `!diff`. */
export async function showDiff(call: CommandCall): Promise<CommandOutcome> {
  const closed = refuseClosed(call);
  if (closed) return closed;
  const { host, message, argument } = call;
  const path = argument === "" ? undefined : argument;
  const changed = await host.changes?.diff(message, path);
  return reply(changed ? replies.diff(changed, path) : replies.noCheckout());
}

/** `!files`. */
export async function showFiles(call: CommandCall): Promise<CommandOutcome> {
  const closed = refuseClosed(call);
  if (closed) return closed;
  const { host, message } = call;
  const changed = await host.changes?.lastTurn?.(message);
  return reply(changed ? replies.files(changed) : replies.notKnown());
}

/** `!get`: by the same rules as a file that the agent sends. */
export async function sendFile(call: CommandCall): Promise<CommandOutcome> {
  const { host, message, argument, key } = call;
  const { conversation, user, at } = message;
  if (argument === "") return reply(replies.usage("get"));
  const closed = refuseClosed(call);
  if (closed) return closed;
  if ((await host.router.log(conversation).last()) === 0) return reply(replies.noFiles());
  await host.router.submit(conversation, { kind: "send", key, user, path: argument, at });
  return { kind: "show-new" };
}
