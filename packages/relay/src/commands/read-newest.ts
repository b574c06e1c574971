import { type LogEvent, type Router, RouterError } from "@acp-kit/router";

/** Events that a command looks through, counted from the newest. */
const MAX_EVENTS = 5_000;

/** The newest events of a conversation, oldest first, as far as they are kept. */
export async function* readNewest(router: Router, conversation: string): AsyncGenerator<LogEvent> {
  const log = router.log(conversation);
  const last = await log.last();
  let after = Math.max(0, last - MAX_EVENTS);
  while (after < last) {
    await using cursor = log.follow({ after });
    try {
      for (const event of (await cursor.next()) ?? []) {
        after = event.seq;
        yield event;
      }
    } catch (error) {
      // What is older has been removed.
      if (!(error instanceof RouterError) || error.first === undefined) return;
      after = error.first - 1;
    }
  }
}
