/** Something on the screen that may still change. */
export type FeedItem = {
  readonly key: string;
  readonly lines: readonly string[];
};

/** What stands on paper, and what is watched until it stays as it is. */
export type Feed = {
  /** Lines of an item as they were printed last, by key. */
  readonly printed: ReadonlyMap<string, readonly string[]>;
  /** Since when an item has been as it is, for those that are not printed so. */
  readonly pending: ReadonlyMap<string, { readonly text: string; readonly since: number }>;
};

export type FeedStep = {
  readonly feed: Feed;
  /** Lines to print for good. */
  readonly print: readonly string[];
  /** Items that are not printed as they are now. */
  readonly live: readonly FeedItem[];
};

export const EMPTY_FEED: Feed = { printed: new Map(), pending: new Map() };

/**
 * An item is printed when it has stayed the same for `quietMs`. One that has changed since is printed from its first
 * other line on, behind `…`; one that is gone is said to be.
 */
export function reduceFeed(
  feed: Feed,
  items: readonly FeedItem[],
  { now, quietMs }: { readonly now: number; readonly quietMs: number },
): FeedStep {
  const printed = new Map<string, readonly string[]>();
  const pending = new Map<string, { readonly text: string; readonly since: number }>();
  const print: string[] = [];
  const live: FeedItem[] = [];
  for (const item of items) {
    const { key, lines } = item;
    const text = lines.join("\n");
    const before = feed.printed.get(key);
    if (before?.join("\n") === text) {
      printed.set(key, before);
      continue;
    }
    const watched = feed.pending.get(key);
    const since = watched?.text === text ? watched.since : now;
    if (now - since < quietMs) {
      pending.set(key, { text, since });
      if (before) printed.set(key, before);
      live.push(item);
      continue;
    }
    print.push(...changedLines(before, lines));
    printed.set(key, lines);
  }
  for (const [key, [first = ""]] of feed.printed) {
    if (!printed.has(key)) print.push(`${first} (gone)`);
  }
  return { feed: { printed, pending }, print, live };
}

function changedLines(
  before: readonly string[] | undefined,
  lines: readonly string[],
): readonly string[] {
  if (!before) return lines;
  const [first = ""] = lines;
  const at = lines.findIndex((line, index) => line !== before[index]);
  if (at === 0) return lines;
  // All that was there still stands: what followed is gone.
  if (at < 0) return [`${labelOf(first)} …`];
  return [`${labelOf(first)} … ${(lines[at] ?? "").trimStart()}`, ...lines.slice(at + 1)];
}

/** `[3] agent:` of a message's first line. */
function labelOf(line: string): string {
  return /^\S+ \S+:/.exec(line)?.[0] ?? "";
}
