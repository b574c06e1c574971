/** What a call is for. A smaller number goes first. */
export const PRIORITIES = { final: 0, question: 1, text: 2, tools: 3, status: 4 } as const;

export type Priority = keyof typeof PRIORITIES;

/** A call that wants to be made: of which method, and for a post in which channel. */
export type BudgetAsk = {
  readonly method: string;
  readonly channel: string;
  readonly priority: Priority;
};

/** Instants in milliseconds since the epoch. Of one workspace. */
export type BudgetState = {
  /** When each method was called within the window, oldest first. */
  readonly calls: ReadonlyMap<string, readonly number[]>;
  /** When each channel was last posted to, as the instant up to which its posts are paid for. */
  readonly paidUntil: ReadonlyMap<string, number>;
  /** Methods, and for posts channels, that were limited. */
  readonly coolUntil: ReadonlyMap<string, number>;
};

export const emptyBudget: BudgetState = {
  calls: new Map(),
  paidUntil: new Map(),
  coolUntil: new Map(),
};

/**
 * A minute, and the time that a call may take to arrive: two that are a minute apart here may be closer there.
 */
export const WINDOW_MS = 65_000;

/** Calls per window of methods that have a tier: somewhat fewer than Slack's 20, 50 and 100 a minute. */
const perWindow: Readonly<Record<string, number>> = {
  "chat.startStream": 15,
  "chat.stopStream": 18,
  "chat.appendStream": 95,
  "chat.update": 48,
  "chat.delete": 48,
  "chat.postEphemeral": 95,
  "reactions.add": 45,
  "reactions.remove": 18,
  "agents.sessions.setStatus": 45,
  "files.completeUploadExternal": 95,
  "files.getUploadURLExternal": 95,
  "files.info": 95,
  // Slack publishes no number for what a whole workspace may post.
  "chat.postMessage": 240,
  "users.info": 95,
  "users.conversations": 45,
  "conversations.replies": 45,
  "conversations.history": 45,
};

const otherwisePerWindow = 18;

/** How much of a method's calls each priority may use up: what is left of it is kept for those before it. */
const shares: Readonly<Record<Priority, number>> = {
  final: 1,
  question: 0.95,
  text: 0.75,
  tools: 0.6,
  status: 0.4,
};

/** A channel takes a post a second, and a few at once. */
const POST_EVERY_MS = 1_100;
const POST_BURST = 3;
/** Of a burst, for text and what comes after it. */
const COMMON_BURST = 2;

/** From when on a call may be made: `now`, or later. Pure. */
export function admitAt(state: BudgetState, ask: BudgetAsk, now: number): number {
  const { method, channel, priority } = ask;
  const cool = Math.max(
    now,
    state.coolUntil.get(method) ?? now,
    state.coolUntil.get(placeKey(ask)) ?? now,
  );
  const limit = Math.max(
    1,
    Math.floor((perWindow[method] ?? otherwisePerWindow) * shares[priority]),
  );
  const calls = (state.calls.get(method) ?? []).filter((at) => at > now - WINDOW_MS);
  const blocking = calls[calls.length - limit];
  const free = blocking === undefined ? now : blocking + WINDOW_MS;
  if (method !== "chat.postMessage") return Math.max(cool, free);
  const burst = PRIORITIES[priority] <= PRIORITIES.question ? POST_BURST : COMMON_BURST;
  const paid = state.paidUntil.get(channel) ?? 0;
  return Math.max(cool, free, paid - (burst - 1) * POST_EVERY_MS);
}

/** After a call was begun. Pure. */
export function recordCall(state: BudgetState, ask: BudgetAsk, now: number): BudgetState {
  const { method, channel } = ask;
  const calls = (state.calls.get(method) ?? []).filter((at) => at > now - WINDOW_MS);
  const next = { ...state, calls: new Map(state.calls).set(method, [...calls, now]) };
  if (method !== "chat.postMessage") return next;
  const paid = Math.max(now, state.paidUntil.get(channel) ?? 0) + POST_EVERY_MS;
  const paidUntil = new Map([...state.paidUntil].filter(([, until]) => until > now));
  return { ...next, paidUntil: paidUntil.set(channel, paid) };
}

/**
 * After a call was limited: its method waits, in its channel alone where that is what the limit is of. Pure.
 *
 * @param retryAfterMs - As the platform said.
 */
export function recordLimit(
  state: BudgetState,
  ask: BudgetAsk,
  retryAfterMs: number,
  now: number,
): BudgetState {
  const coolUntil = new Map([...state.coolUntil].filter(([, until]) => until > now));
  return { ...state, coolUntil: coolUntil.set(placeKey(ask), now + retryAfterMs) };
}

/**
 * Whether a turn may begin as a native stream now: starting one is the rarest call that the platform has, and a stream
 * must be ended by a call that is as rare. Pure.
 *
 * @param liveStreams - Streams that were started and not ended.
 */
export function admitsStream(state: BudgetState, liveStreams: number, now: number): boolean {
  const start: BudgetAsk = { method: "chat.startStream", channel: "", priority: "final" };
  const ended = (state.calls.get("chat.stopStream") ?? []).filter((at) => at > now - WINDOW_MS);
  const owed = liveStreams + ended.length;
  return admitAt(state, start, now) <= now && owed < (perWindow["chat.stopStream"] ?? 0);
}

function placeKey({ method, channel }: BudgetAsk): string {
  return method === "chat.postMessage" ? `${method} ${channel}` : method;
}
