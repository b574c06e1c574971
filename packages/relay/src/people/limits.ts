/** How much may be done; what is absent has no limit. Hours and days end now: they are the last 60 minutes and 24 hours. */
export type Limits = {
  readonly turnsPerUserPerHour?: number | undefined;
  readonly turnsPerConversationPerHour?: number | undefined;
  /** Minutes that turns have run. */
  readonly minutesPerUserPerDay?: number | undefined;
  /** As far as agents report them. */
  readonly tokensPerUserPerDay?: number | undefined;
  /** In the currency that the agents report. */
  readonly costPerUserPerDay?: number | undefined;
  readonly minutesPerProjectPerDay?: number | undefined;
  readonly costPerProjectPerDay?: number | undefined;
  readonly costPerDay?: number | undefined;
  /** Turns that run at a time. */
  readonly concurrentTurns?: number | undefined;
  readonly concurrentPerUser?: number | undefined;
  /** Minutes after which a turn is ended. */
  readonly turnMinutes?: number | undefined;
};

/** What limits over a time count. */
export type Measure = "turns" | "minutes" | "tokens" | "cost";

/** Whose use a limit is about: a person's, a conversation's, a workspace's, or everybody's. */
export type Scope = "user" | "conversation" | "project" | "everybody";

/** A limit over a time. */
export type Quota = {
  readonly name: keyof Limits;
  readonly scope: Scope;
  readonly measure: Measure;
  readonly windowMs: number;
};

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const QUOTAS: readonly Quota[] = [
  { name: "turnsPerUserPerHour", scope: "user", measure: "turns", windowMs: HOUR_MS },
  {
    name: "turnsPerConversationPerHour",
    scope: "conversation",
    measure: "turns",
    windowMs: HOUR_MS,
  },
  { name: "minutesPerUserPerDay", scope: "user", measure: "minutes", windowMs: DAY_MS },
  { name: "tokensPerUserPerDay", scope: "user", measure: "tokens", windowMs: DAY_MS },
  { name: "costPerUserPerDay", scope: "user", measure: "cost", windowMs: DAY_MS },
  { name: "minutesPerProjectPerDay", scope: "project", measure: "minutes", windowMs: DAY_MS },
  { name: "costPerProjectPerDay", scope: "project", measure: "cost", windowMs: DAY_MS },
  { name: "costPerDay", scope: "everybody", measure: "cost", windowMs: DAY_MS },
];

/** What was used at a time, in milliseconds since the epoch. */
export type Spent = { readonly at: number; readonly amount: number };

/** Part of a limit from which on people are warned. */
const WARN_AT = 0.8;

/** Whether another turn fits into a limit of which so much is used. Pure. `near` includes that turn. */
export function standingOf(
  { measure }: Quota,
  limit: number,
  used: number,
): "free" | "near" | "over" {
  if (used >= limit) return "over";
  const next = used + (measure === "turns" ? 1 : 0);
  return next >= limit * WARN_AT ? "near" : "free";
}

/**
 * When a limit that is reached has room again, in milliseconds since the epoch. Pure.
 *
 * @param spent - Oldest first, and nothing from before the window.
 */
export function findFreeAt(
  { windowMs }: Quota,
  limit: number,
  spent: readonly Spent[],
  now: number,
): number {
  let left = spent.reduce((sum, { amount }) => sum + amount, 0);
  for (const { at, amount } of spent) {
    left -= amount;
    if (left < limit) return at + windowMs;
  }
  return now + windowMs;
}

/** What a person is told whose turn does not start. Pure. */
export function formatOver(quota: Quota, limit: number, freeAt: number, now: number): string {
  const wait = formatWait(freeAt - now);
  const amount = formatQuota(quota, limit);
  switch (quota.scope) {
    case "user":
      return `You have used up your ${amount}. You can go on in ${wait}.`;
    case "conversation":
      return `This conversation has used up its ${amount}. It can go on in ${wait}.`;
    case "project":
      return `This project has used up its ${amount}. It can go on in ${wait}.`;
    case "everybody":
      return `This bot has used up its budget for the day. It can go on in ${wait}.`;
  }
}

/** What a person is told whose turn starts while little is left. Pure. */
export function formatNear(quota: Quota, limit: number, used: number): string {
  const { measure, scope } = quota;
  if (scope === "everybody") return "This bot has used most of its budget for the day.";
  const shown = formatAmount(measure, measure === "turns" ? used + 1 : used);
  return `${shown} of ${owners[scope]} ${formatQuota(quota, limit)} are used.`;
}

const owners = {
  user: "your",
  conversation: "this conversation's",
  project: "this project's",
} as const;

/** `limit of 20 turns an hour`, `budget of 5.00 a day`. */
function formatQuota({ measure, windowMs }: Quota, limit: number): string {
  const amount = formatAmount(measure, limit);
  const time = windowMs === HOUR_MS ? "an hour" : "a day";
  if (measure === "cost") return `budget of ${amount} ${time}`;
  return `limit of ${amount} ${limit === 1 ? measure.slice(0, -1) : measure} ${time}`;
}

function formatAmount(measure: Measure, amount: number): string {
  return measure === "cost"
    ? amount.toFixed(2)
    : Math.floor(amount).toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** `12 min`, `3 h 20 min`. */
export function formatWait(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
