import { RelayError } from "../errors.ts";

/** @param why - Fit for chat: no path, no output of a program. */
export function unusable(name: string, why: string, cause?: unknown): RelayError {
  const what = `workspace "${name}" ${why}`;
  const chatText = `The ${what}.`;
  return new RelayError(what, { code: "workspace", cause, chatText });
}
