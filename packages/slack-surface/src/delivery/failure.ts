import { classifyRefusal } from "../publish/classify-refusal.ts";

/**
 * Why something is not seen. `place`: nothing can be said there until somebody changes that. `app`: nothing can be said
 * anywhere. `later`: nobody answered, or this process ends; it may go well another time.
 */
export type FailureKind = "place" | "app" | "later";

export class DeliveryFailure extends Error {
  readonly kind: FailureKind;
  /** The platform's word, or `no_answer` or `closed`. */
  readonly code: string;

  constructor(code: string) {
    super(`not delivered: ${code}`);
    this.code = code;
    this.kind = kindOf(code);
  }
}

/** The app's renderer has thrown: nothing of the turn can be shown, however often it is tried. */
export class RenderFailure extends Error {}

/** Of the app itself, wherever it speaks. */
const ofTheApp: ReadonlySet<string> = new Set([
  "account_inactive",
  "invalid_auth",
  "not_authed",
  "token_expired",
  "token_revoked",
]);

/** Whether a refusal is about more than the one message. Pure. */
export function isLasting(code: string): boolean {
  return ["no_answer", "closed"].includes(code) || classifyRefusal(code) === "place";
}

function kindOf(code: string): FailureKind {
  if (ofTheApp.has(code)) return "app";
  return classifyRefusal(code) === "place" ? "place" : "later";
}
