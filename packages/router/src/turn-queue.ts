import type { CancelCause, TurnOutcome } from "./events.ts";
import { mayDecide, type Role } from "./role.ts";
import { MAX_QUEUED } from "./store.ts";

/**
 * What becomes of a message that comes while a turn runs. `queue`: it waits. `interrupt`: the running turn is cancelled
 * for it, and what its author has waiting. `steer`: the agent is given it in the running turn if it takes that, else it
 * is the next prompt. Whoever may not decide about the running turn only ever queues.
 */
export type BusyPolicy = "queue" | "interrupt" | "steer";

/** How long after its start a turn without a tool call is run again when its message is edited, in milliseconds. */
export const EDIT_RERUN_MS = 30_000;

/** How long a reaction may wait, in milliseconds: later nobody knows any more what it was about. */
export const REACTION_PATIENCE_MS = 60_000;

/** A turn that waits, or runs. */
export type QueuedTurn = {
  readonly kind: "prompt" | "reaction";
  readonly turn: string;
  /** The person who asked for it. */
  readonly user: string;
  /** When it was posted, in milliseconds since the epoch. */
  readonly since: number;
  /** Turns of earlier versions of its message. */
  readonly versions: readonly string[];
  /** It goes before those that were posted earlier. */
  readonly isNext: boolean;
  /** The agent has worked on an earlier version of its message, and is to be told so. */
  readonly isCorrection: boolean;
  /** It has been offered to the running turn, and must not start before the agent has said yes or no. */
  readonly isOffered: boolean;
};

export type ActiveTurn = QueuedTurn & { readonly isCancelled: boolean };

export type TurnQueue = {
  readonly active: ActiveTurn | undefined;
  /** Next one first. */
  readonly waiting: readonly QueuedTurn[];
};

/** Facts about the running turn that the queue does not keep. */
export type ActiveFacts = {
  /** When the agent was prompted, in milliseconds since the epoch; absent before that. */
  readonly promptedAt?: number;
  readonly hasToolCall: boolean;
  /** The agent takes messages in the middle of this turn. */
  readonly takesSteering: boolean;
};

export type QueueEvent =
  | {
      readonly kind: "prompt-posted";
      readonly at: number;
      readonly turn: string;
      readonly user: string;
      readonly role: Role | undefined;
      readonly busy: BusyPolicy;
      readonly active: ActiveFacts;
      /** The turn of the message that this one is a later version of, and whether that turn ended for just this reason. */
      readonly replaces?: { readonly turn: string; readonly wasEdited: boolean };
    }
  | {
      readonly kind: "reaction-posted";
      readonly at: number;
      readonly turn: string;
      readonly user: string;
    }
  | {
      readonly kind: "cancel-posted";
      readonly turn: string;
      readonly cause: CancelCause;
      /** Absent: the relay itself. */
      readonly user: string | undefined;
      readonly role: Role | undefined;
    }
  /** The agent has taken the message, or not. */
  | { readonly kind: "steered"; readonly turn: string; readonly isTaken: boolean }
  | { readonly kind: "ended" }
  /** Whatever can start now may start. */
  | { readonly kind: "next"; readonly at: number }
  /** Nothing waits any more. */
  | { readonly kind: "dropped"; readonly cause: CancelCause };

/** What the owner of the queue has to do, in this order. */
export type QueueEffect =
  /** Tell that a prompt waits, and what it waits for. */
  | { readonly kind: "tell-queued"; readonly turn: string; readonly behind?: string }
  | { readonly kind: "offer"; readonly turn: string }
  | { readonly kind: "cancel"; readonly cause: CancelCause }
  /** End a prompt that never ran. */
  | { readonly kind: "end"; readonly turn: string; readonly outcome: TurnOutcome }
  /** Forget a reaction. */
  | { readonly kind: "shed"; readonly turn: string }
  | { readonly kind: "start"; readonly turn: string; readonly isCorrection: boolean };

export type QueueStep = { readonly queue: TurnQueue; readonly effects: readonly QueueEffect[] };

export const EMPTY_QUEUE: TurnQueue = { active: undefined, waiting: [] };

/** Next state of a conversation's queue, and what to do about it. Pure: one turn is active at a time. */
export function reduceQueue(queue: TurnQueue, event: QueueEvent): QueueStep {
  switch (event.kind) {
    case "prompt-posted":
      return makeRoom(post(queue, event));
    case "reaction-posted": {
      const { turn, user, at } = event;
      const reaction = createTurn({ kind: "reaction", turn, user, since: at });
      return makeRoom({
        queue: { ...queue, waiting: [...queue.waiting, reaction] },
        effects: [],
      });
    }
    case "cancel-posted":
      return cancelTurn(queue, event);
    case "steered": {
      const offered = queue.waiting.find(({ turn }) => turn === event.turn);
      if (!offered) return { queue, effects: [] };
      return event.isTaken
        ? end(queue, offered, { kind: "skipped", reason: "steered" })
        : { queue: replace(queue, offered, { ...offered, isOffered: false }), effects: [] };
    }
    case "ended":
      return { queue: { ...queue, active: undefined }, effects: [] };
    case "next":
      return startNext(queue, event.at);
    case "dropped": {
      const outcome: TurnOutcome = { kind: "cancelled", cause: event.cause };
      return {
        queue: { ...queue, waiting: [] },
        effects: queue.waiting.map((one) => createEnd(one, outcome)),
      };
    }
  }
}

type Post = Extract<QueueEvent, { kind: "prompt-posted" }>;

function post(queue: TurnQueue, event: Post): QueueStep {
  const { turn, user, at, role, busy, active: facts, replaces } = event;
  const fresh = createTurn({ kind: "prompt", turn, user, since: at });
  if (replaces) {
    const edited = edit(queue, event, fresh, replaces.turn);
    if (edited) return edited;
    if (!replaces.wasEdited) {
      // The queue never had it, so its reader learns of it by its end.
      const outcome: TurnOutcome = { kind: "skipped", reason: "answered" };
      return {
        queue,
        effects: [
          { kind: "tell-queued", turn },
          { kind: "end", turn, outcome },
        ],
      };
    }
  }
  const { active } = queue;
  if (!active || !mayDecide(user, active.user, role)) return enqueue(queue, fresh);
  switch (busy) {
    case "queue":
      return enqueue(queue, fresh);
    case "interrupt":
      return interrupt(queue, active, fresh);
    case "steer": {
      const isOffered = active.kind === "prompt" && !active.isCancelled && facts.takesSteering;
      const step = enqueue(queue, { ...fresh, isNext: true, isOffered });
      return isOffered ? { ...step, effects: [...step.effects, { kind: "offer", turn }] } : step;
    }
  }
}

/** The new version of a message whose turn is still open; `undefined` when it is not, or is somebody else's. */
function edit(
  queue: TurnQueue,
  { user, role, at, active: facts }: Post,
  fresh: QueuedTurn,
  replaced: string,
): QueueStep | undefined {
  const isIt = (one: QueuedTurn) =>
    (one.turn === replaced || one.versions.includes(replaced)) && mayDecide(user, one.user, role);
  const edited: TurnOutcome = { kind: "cancelled", cause: "edited" };
  const waiting = queue.waiting.find(isIt);
  if (waiting && !waiting.isOffered) {
    const { since, isNext, isCorrection } = waiting;
    const versions = [waiting.turn, ...waiting.versions];
    const next = replace(queue, waiting, { ...fresh, since, isNext, isCorrection, versions });
    const effects = [createTold(next, fresh.turn), createEnd(waiting, edited)];
    return { queue: next, effects };
  }
  const { active } = queue;
  const running = waiting ?? (active && isIt(active) && !active.isCancelled ? active : undefined);
  if (!running) return undefined;
  const versions = [running.turn, ...running.versions];
  const isYoung = at - (facts.promptedAt ?? at) < EDIT_RERUN_MS;
  const isCorrection = running !== active || !isYoung || facts.hasToolCall;
  const step = enqueue(queue, { ...fresh, isNext: true, isCorrection, versions });
  return isCorrection ? step : withCancel(step, "edited");
}

function interrupt(queue: TurnQueue, active: ActiveTurn, fresh: QueuedTurn): QueueStep {
  const superseded: TurnOutcome = { kind: "cancelled", cause: "superseded" };
  const isOld = (one: QueuedTurn) => one.kind === "prompt" && one.user === fresh.user;
  const old = queue.waiting.filter(isOld);
  const waiting = queue.waiting.filter((one) => !isOld(one));
  const step = enqueue({ active, waiting }, { ...fresh, isNext: true });
  const ends = old.map((one) => createEnd(one, superseded));
  return withCancel({ ...step, effects: [...step.effects, ...ends] }, "superseded");
}

function cancelTurn(
  queue: TurnQueue,
  { turn, cause, user, role }: Extract<QueueEvent, { kind: "cancel-posted" }>,
): QueueStep {
  const waiting = queue.waiting.find((one) => one.turn === turn);
  const found = waiting ?? (queue.active?.turn === turn ? queue.active : undefined);
  if (!found || !mayDecide(user, found.user, role)) return { queue, effects: [] };
  return waiting
    ? end(queue, waiting, { kind: "cancelled", cause })
    : withCancel({ queue, effects: [] }, cause);
}

function startNext(queue: TurnQueue, at: number): QueueStep {
  if (queue.active || queue.waiting.some(({ isOffered }) => isOffered)) {
    return { queue, effects: [] };
  }
  const isStale = ({ kind, since }: QueuedTurn) =>
    kind === "reaction" && at - since > REACTION_PATIENCE_MS;
  const shed = queue.waiting.filter(isStale).map(createShed);
  const [next, ...waiting] = queue.waiting.filter((one) => !isStale(one));
  if (!next) return { queue: { active: undefined, waiting }, effects: shed };
  return {
    queue: { active: { ...next, isCancelled: false }, waiting },
    effects: [...shed, { kind: "start", turn: next.turn, isCorrection: next.isCorrection }],
  };
}

/** The store keeps prompts within bounds; what gives way to them is the oldest reaction. */
function makeRoom(step: QueueStep): QueueStep {
  const { active, waiting } = step.queue;
  if (waiting.length <= MAX_QUEUED) return step;
  const oldest = waiting.find(({ kind }) => kind === "reaction");
  if (!oldest) return step;
  return {
    queue: { active, waiting: waiting.filter((one) => one !== oldest) },
    effects: [...step.effects, createShed(oldest)],
  };
}

function createTurn(about: Pick<QueuedTurn, "kind" | "turn" | "user" | "since">): QueuedTurn {
  return { ...about, versions: [], isNext: false, isCorrection: false, isOffered: false };
}

/** Puts a prompt behind the others, or behind those that are next already. */
function enqueue({ active, waiting }: TurnQueue, fresh: QueuedTurn): QueueStep {
  const first = waiting.findIndex(({ isNext }) => !isNext);
  const place = fresh.isNext && first >= 0 ? first : waiting.length;
  const queue = { active, waiting: waiting.toSpliced(place, 0, fresh) };
  return { queue, effects: [createTold(queue, fresh.turn)] };
}

/** Reactions are nobody's to wait for: they are not told. */
function createTold({ active, waiting }: TurnQueue, turn: string): QueueEffect {
  const place = waiting.findIndex((one) => one.turn === turn);
  const ahead = [...(active ? [active] : []), ...waiting.slice(0, place)];
  const behind = ahead.findLast(({ kind }) => kind === "prompt")?.turn;
  return { kind: "tell-queued", turn, ...(behind !== undefined && { behind }) };
}

function withCancel({ queue, effects }: QueueStep, cause: CancelCause): QueueStep {
  const { active, waiting } = queue;
  if (!active || active.isCancelled) return { queue, effects };
  return {
    queue: { active: { ...active, isCancelled: true }, waiting },
    effects: [...effects, { kind: "cancel", cause }],
  };
}

function replace(queue: TurnQueue, old: QueuedTurn, fresh: QueuedTurn): TurnQueue {
  return { ...queue, waiting: queue.waiting.map((one) => (one === old ? fresh : one)) };
}

function end({ active, waiting }: TurnQueue, turn: QueuedTurn, outcome: TurnOutcome): QueueStep {
  return {
    queue: { active, waiting: waiting.filter((one) => one !== turn) },
    effects: [createEnd(turn, outcome)],
  };
}

function createEnd(one: QueuedTurn, outcome: TurnOutcome): QueueEffect {
  return one.kind === "reaction" ? createShed(one) : { kind: "end", turn: one.turn, outcome };
}

function createShed({ turn }: QueuedTurn): QueueEffect {
  return { kind: "shed", turn };
}
