/** What the surface keeps with its place in the log. */
export type DeliveryState = {
  /** Questions that the newest response showed and left open, in the order shown. */
  readonly questions: readonly string[];
  /** The turn that a parked response was to show to its end. */
  readonly until?: string;
  /** The newest messages that answered a question: each of them is an answer for ever. */
  readonly answers: readonly { readonly key: string; readonly permission: string }[];
};

export const EMPTY_STATE: DeliveryState = { questions: [], answers: [] };

const MAX_QUESTIONS = 8;
const MAX_ANSWERS = 4;
/** Ids come from outside; the whole has to stay within a checkpoint's 4 KiB. In bytes of JSON. */
const MAX_ID_BYTES = 200;

/** Reads a checkpoint's state. Never throws: what cannot be read is not there. */
export function parseDeliveryState(text: string | undefined): DeliveryState {
  const value = parseJson(text ?? "{}");
  if (!isFields(value)) return EMPTY_STATE;
  const { questions, until, answers } = value;
  return {
    questions: Array.isArray(questions) ? questions.filter((id) => typeof id === "string") : [],
    ...(typeof until === "string" && { until }),
    answers: Array.isArray(answers) ? answers.filter(isFields).flatMap(parseAnswered) : [],
  };
}

/** The newest of each list, as far as it is of a reasonable size. */
export function formatDeliveryState({ questions, until, answers }: DeliveryState): string {
  return JSON.stringify({
    questions: questions.filter(isShort).slice(-MAX_QUESTIONS),
    until: until !== undefined && isShort(until) ? until : undefined,
    answers: answers
      .filter(({ key, permission }) => isShort(key) && isShort(permission))
      .slice(-MAX_ANSWERS),
  });
}

function parseAnswered({ key, permission }: Record<string, unknown>) {
  return typeof key === "string" && typeof permission === "string" ? [{ key, permission }] : [];
}

function isShort(id: string): boolean {
  return Buffer.byteLength(JSON.stringify(id)) <= MAX_ID_BYTES;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
