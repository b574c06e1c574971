import { defuse } from "./defuse.ts";

/** A tool call, or a step of a plan, as a card. */
export type TaskCard = {
  readonly id: string;
  readonly title: string;
  readonly status: "pending" | "in_progress" | "complete" | "error";
};

/** Which cards a stream shows, by id. */
export type ShownCards = ReadonlyMap<string, TaskCard>;

export const noCards: ShownCards = new Map();

/** Slack takes 256 code points. */
const MAX_TITLE_CODE_POINTS = 250;

/** Cards that look different from what is shown, or are not shown yet. Pure. */
export function changedCards(shown: ShownCards, wanted: readonly TaskCard[]): readonly TaskCard[] {
  return wanted.map(shortened).filter((card) => {
    const before = shown.get(card.id);
    return before?.status !== card.status || before.title !== card.title;
  });
}

/**
 * Cards of a new stream: those of what has ended were seen where they ran. Pure.
 *
 * @param before - What an earlier stream of the same turn has shown.
 */
export function cardsToReopen(before: ReadonlySet<string>, wanted: readonly TaskCard[]) {
  return wanted.filter(({ id, status }) => !before.has(id) || status === "in_progress");
}

/** Cards that run, as they should look in a stream that ends: the platform would call them failed. Pure. */
export function cardsToRest(shown: ShownCards): readonly TaskCard[] {
  return [...shown.values()]
    .filter(({ status }) => status === "in_progress")
    .map((card) => ({ ...card, status: "pending" }));
}

/** Cards as a stream takes them. */
export function renderCards(cards: readonly TaskCard[]): readonly Record<string, unknown>[] {
  return cards.map(({ id, title, status }) => ({ type: "task_update", id, title, status }));
}

function shortened(card: TaskCard): TaskCard {
  const points = [...defuse(card.title).replaceAll(/\s+/g, " ").trim()];
  if (points.length === 0) return { ...card, title: "…" };
  if (points.length <= MAX_TITLE_CODE_POINTS) return { ...card, title: points.join("") };
  return { ...card, title: `${points.slice(0, MAX_TITLE_CODE_POINTS - 1).join("")}…` };
}
