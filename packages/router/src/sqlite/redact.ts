import type { NewEvent } from "../events.ts";

/** Members that name a person. */
const personal: ReadonlySet<string> = new Set(["who", "by", "requester"]);

/** A value in which every member that names the person is empty. */
export function withoutPerson<T>(value: T, user: string): T {
  return JSON.parse(JSON.stringify(value), (key, member) =>
    personal.has(key) && member === user ? "" : member,
  ) as T;
}

/** True for what a person said outside of a turn of their own. */
export function isOwnWord(event: NewEvent, user: string): boolean {
  return (event.kind === "steered" || event.kind === "reaction") && event.who === user;
}

/** What stays of an event of an erased person's turn: where the turn begins and ends, and nothing that was said. */
export function redactEvent(event: NewEvent, user: string): NewEvent {
  switch (event.kind) {
    case "turn-queued":
      return { ...event, who: "", text: "", key: "" };
    case "turn-start":
      return withoutPerson(event, user);
    case "turn-end":
      return event.outcome.kind === "failed"
        ? { ...event, outcome: { ...event.outcome, message: "" } }
        : event;
    default: {
      const { at, turn } = event;
      return {
        kind: "notice",
        level: "info",
        text: "Erased.",
        at,
        ...(turn !== undefined && { turn }),
      };
    }
  }
}
