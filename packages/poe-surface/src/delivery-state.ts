import { MAX_CHECKPOINT_STATE_BYTES, MAX_OPEN_QUESTIONS } from "@acp-kit/router";
import type { Carried } from "./reader.ts";

/** The response that reads a conversation, or did last, as far as other processes need to know it. */
export type ReaderMark = {
  readonly id: string;
  /** Counts the readers of the conversation: the one with the highest number reads. */
  readonly nth: number;
  /** The surface that it belongs to; those of one process share one. */
  readonly surface: string;
  /** Of the message that it answers. */
  readonly key: string;
  readonly user: string;
  readonly label: string;
  /** The turn whose end ends it. */
  readonly until?: string;
  /** `gone`: its client is gone, and its turn waits for the client to come back. `over`: it reads no more. */
  readonly phase: "reads" | "gone" | "over";
};

/** The newest response of a message. */
export type MessageMark = {
  readonly key: string;
  readonly id: string;
  /** Where its reading of other turns began: a response to the same message begins there again. */
  readonly start?: number;
};

/** What the surface keeps with its place in the log. */
export type DeliveryState = {
  /** Questions that were told and left open; the last of them is the one that the newest response showed. */
  readonly questions: readonly string[];
  /** The turn that a parked response was to show to its end. */
  readonly until?: string;
  /** What the newest response has left open where it ended. */
  readonly carry?: Carried;
  /** The newest messages that answered a question: each of them is an answer for ever. */
  readonly answers: readonly { readonly key: string; readonly permission: string }[];
  /** The newest messages, of each its newest response. */
  readonly messages: readonly MessageMark[];
  readonly reader?: ReaderMark;
};

export const EMPTY_STATE: DeliveryState = { questions: [], answers: [], messages: [] };

const MAX_ANSWERS = 4;
const MAX_MESSAGES = 4;
/** Ids come from outside; the whole has to stay within a checkpoint's 4 KiB. In bytes of JSON. */
const MAX_ID_BYTES = 200;
const MAX_CARRY_BYTES = 300;

/** Reads a checkpoint's state. Never throws: what cannot be read is not there. */
export function parseDeliveryState(text: string | undefined): DeliveryState {
  const value = parseJson(text ?? "{}");
  if (!isFields(value)) return EMPTY_STATE;
  const { questions, until, carry, answers, messages, reader } = value;
  return {
    questions: listOf(questions).filter(isText),
    ...(isText(until) && { until }),
    ...(isCarried(carry) && { carry }),
    answers: listOf(answers).filter(isAnswer),
    messages: listOf(messages).filter(isMessage),
    ...(isReader(reader) && { reader }),
  };
}

/** The newest of each list, as far as it is of a reasonable size. */
export function formatDeliveryState(state: DeliveryState): string {
  const { questions, until, carry, answers, messages, reader } = state;
  const whole: DeliveryState = {
    questions: questions.filter((id) => isShort(id)).slice(-MAX_OPEN_QUESTIONS),
    ...(until !== undefined && isShort(until) && { until }),
    ...(carry && isShort(carry.turn) && isShort(carry.text, MAX_CARRY_BYTES) && { carry }),
    answers: answers
      .filter(({ key, permission }) => isShort(key) && isShort(permission))
      .slice(-MAX_ANSWERS),
    messages: messages.filter(({ key }) => isShort(key)).slice(-MAX_MESSAGES),
    ...(reader && isShort(reader.key) && isShort(reader.user) && { reader }),
  };
  const text = JSON.stringify(whole);
  if (Buffer.byteLength(text) <= MAX_CHECKPOINT_STATE_BYTES) return text;
  return JSON.stringify({ ...whole, answers: whole.answers.slice(-1), messages: [] });
}

type Fields = Readonly<Record<string, unknown>>;

const PHASES: readonly unknown[] = ["reads", "gone", "over"] satisfies ReaderMark["phase"][];

function isReader(value: unknown): value is ReaderMark {
  if (!isFields(value)) return false;
  const { id, nth, surface, key, user, label, until, phase } = value;
  return (
    [id, surface, key, user, label, until ?? ""].every(isText) &&
    typeof nth === "number" &&
    PHASES.includes(phase)
  );
}

function isCarried(value: unknown): value is Carried {
  return isFields(value) && isText(value["turn"]) && isText(value["text"]);
}

function isMessage(value: unknown): value is MessageMark {
  if (!isFields(value)) return false;
  const { key, id, start } = value;
  return isText(key) && isText(id) && (start === undefined || typeof start === "number");
}

function isAnswer(value: unknown): value is { key: string; permission: string } {
  return isFields(value) && isText(value["key"]) && isText(value["permission"]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isShort(text: string, maxBytes = MAX_ID_BYTES): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= maxBytes;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
