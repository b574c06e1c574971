import { type CommandCall, type CommandOutcome, reply } from "./command-context.ts";
import { replies } from "./replies.ts";

/** `!cost`. */
export function showCost({ host, message }: CommandCall): CommandOutcome {
  const used = host.people?.usageOf(message.user);
  return reply(used ? replies.cost(used) : replies.notAvailable("cost"));
}

/** `!pause`. */
export function pauseRelay({ host, message, argument }: CommandCall): CommandOutcome {
  const { people } = host;
  if (!people) return reply(replies.notAvailable("pause"));
  if (/^(?:off|end|resume)$/i.test(argument)) {
    return reply(people.resumeAll(message.user) ? replies.resumed() : replies.notPaused());
  }
  people.pauseAll(message.user, argument);
  return reply(replies.paused());
}
