import { randomUUID } from "node:crypto";
import type { ErrorEvent } from "@acp-kit/poe-protocol";
import type { InboxItem, Options, Router, RouterErrorCode, Turn } from "@acp-kit/router";
import type { Delivered } from "./delivery.ts";
import type { Instead, Intake, Message } from "./intake.ts";
import { words } from "./words.ts";

/** What a response is to show. */
export type Plan =
  /** Nothing of the conversation. */
  | {
      readonly kind: "say";
      readonly text: string;
      /** The text answers a command. */
      readonly isReply?: true;
      readonly error?: Omit<ErrorEvent["data"], "text">;
    }
  | {
      readonly kind: "read";
      /** What is said first. */
      readonly lead?: string;
      /** The turns that the response is about, from behind `after`. */
      readonly own: readonly string[];
      readonly after: number;
      /** The turn whose end ends the response; absent when it shows what there is and ends. */
      readonly until?: string;
      /** The question that this message answered. */
      readonly answered?: string;
      /** The message had been posted before. */
      readonly isRepeat: boolean;
      /** What is said when there turns out to be nothing to show. */
      readonly ifEmpty: string;
    };

export type ReadPlan = Extract<Plan, { kind: "read" }>;

export type PlanRequest = {
  readonly router: Router;
  readonly conversation: string;
  readonly message: Message;
  readonly query: readonly Turn[];
  readonly options: Options;
  /** What they are where nobody chose anything. */
  readonly defaults: Options;
  /** The platform's id of this very request; may be empty. */
  readonly request: string;
  readonly delivered: Delivered;
  readonly at: number;
};

/** Posts what a message means, and tells what its response is to show. */
export async function carryOut(intake: Intake, request: PlanRequest): Promise<Plan> {
  const { router, conversation, message, delivered } = request;
  const { seq: after, state } = delivered;
  const rest = {
    kind: "read",
    own: [],
    after,
    isRepeat: false,
    ifEmpty: words.nothingMore,
  } as const;
  switch (intake.kind) {
    case "say":
      return { kind: "say", text: words[intake.text] };
    case "reply":
      return { kind: "say", text: intake.text, isReply: true };
    case "show-new":
      // What comes in no turn is what was asked for, not what was missed.
      return { ...rest, own: [""] };
    case "show": {
      const { turn, after } = intake.turn;
      const ifEmpty = words.noAnswer;
      return { kind: "read", own: [turn], after, until: turn, isRepeat: false, ifEmpty };
    }
    case "stop": {
      await router.cancelTurn(conversation, intake.turn, "user", message.user);
      // Another message may have waited behind the turn without a response of its own.
      const until = state.until === intake.turn ? undefined : state.until;
      return { ...rest, lead: words.stopped, ...readUntil(until) };
    }
    case "continue":
      return { ...rest, ...readUntil(intake.until) };
    case "answer":
      return answer(intake.permission, intake.option, request);
    case "refuse-and-prompt": {
      const plan = await prompt(request);
      // A repeat of the message has refused already, and must not refuse another question.
      if (plan.kind === "say" || plan.isRepeat) return plan;
      const key = message.key === "" ? randomUUID() : `${message.key}#no`;
      await router.submit(conversation, answerItem(key, intake, request));
      return { ...plan, own: [intake.turn, ...plan.own], answered: intake.permission };
    }
    case "prompt":
      return prompt(request, intake.instead);
  }
}

/** What people are told, for each way in which the router can refuse a message. */
export const refusals: Partial<Record<RouterErrorCode, Plan & { kind: "say" }>> = {
  "queue-full": { kind: "say", text: words.queueFull, error: { allow_retry: false } },
  "empty-prompt": {
    kind: "say",
    text: words.emptyMessage,
    error: { allow_retry: false, error_type: "user_caused_error" },
  },
  closed: { kind: "say", text: words.restarting, error: { allow_retry: true } },
};

async function answer(
  permission: string,
  option: string | undefined,
  request: PlanRequest,
): Promise<Plan> {
  const { router, conversation, message, delivered } = request;
  const key = message.key === "" ? randomUUID() : message.key;
  const posted = await router.submit(
    conversation,
    answerItem(key, { permission, option }, request),
  );
  if (posted.how === "refused") {
    const [running] = await router.openTurns(conversation);
    const isOwn = running?.who === message.user;
    return { kind: "say", text: isOwn ? words.approversOnly : words.notYours };
  }
  const { until } = delivered.state;
  const isRepeat = posted.how === "repeat";
  const ifEmpty = words.nothingMore;
  if (posted.how === "late") {
    const [first] = await router.openTurns(conversation);
    const running = until ?? first?.turn;
    const { seq: after } = delivered;
    const lead = words.tooLate;
    return { kind: "read", lead, own: [], after, isRepeat, ifEmpty, ...readUntil(running) };
  }
  const last = isRepeat ? posted.turn : (until ?? posted.turn);
  const own = [...new Set([posted.turn, last])];
  return {
    kind: "read",
    own,
    after: posted.after,
    until: last,
    answered: permission,
    isRepeat,
    ifEmpty,
  };
}

async function prompt(request: PlanRequest, instead?: Instead): Promise<Plan> {
  const { router, conversation, message, options, defaults, delivered, at } = request;
  const { key, user } = message;
  const [running] = await router.openTurns(conversation);
  const posted = await router.submit(conversation, {
    kind: "prompt",
    key,
    user,
    query: instead ? withAttachments(request.query, instead) : request.query,
    ...(instead && { text: instead.text }),
    options,
    defaults,
    repeat: "rerun-once-delivered",
    ...(request.request !== "" && { request: request.request }),
    after: delivered.seq,
    at,
  });
  // The id of a message that somebody else's turn is answering right now.
  if (posted.how === "refused") return { kind: "say", text: words.notYours };
  const { turn, after } = posted;
  // The same message anew: what its first run is still doing is no longer wanted.
  if (posted.how === "new" && key !== "" && running?.key === key) {
    await router.cancelTurn(conversation, running.turn, "superseded", user);
  }
  const isRepeat = posted.how === "repeat";
  return { kind: "read", own: [turn], after, until: turn, isRepeat, ifEmpty: words.noAnswer };
}

/** The transcript in which the newest message has other files. */
function withAttachments(query: readonly Turn[], { attachments }: Instead): readonly Turn[] {
  const newest = query.findLastIndex(({ role }) => role === "user");
  return query.map((turn, at) => (at === newest ? { ...turn, attachments } : turn));
}

function answerItem(
  key: string,
  { permission, option }: { permission: string; option: string | undefined },
  { message, delivered, at }: PlanRequest,
): InboxItem {
  const chosen = option === undefined ? {} : { option };
  return {
    kind: "answer",
    key,
    user: message.user,
    permission,
    ...chosen,
    after: delivered.seq,
    at,
  };
}

/** Turns whose end lies ahead of what was delivered are read like what was missed: from there on. */
function readUntil(turn: string | undefined) {
  return turn === undefined ? {} : { own: [turn], until: turn };
}
