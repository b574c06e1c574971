import path from "node:path";
import type { OfferRefusal } from "./offer-file.ts";
import { cutText } from "./parsed-text.ts";

/**
 * Why a file was not sent.
 *
 * - `no-turn`: the conversation is not the agent's to speak in right now.
 * - `forbidden`: nothing is sent from this conversation.
 * - `quota`: the conversation holds as many bytes as it may.
 * - `unwritable`: the copy that is sent cannot be kept.
 */
export type SendRefusal = OfferRefusal | "no-turn" | "forbidden" | "quota" | "unwritable";

const because: Readonly<Record<SendRefusal, string>> = {
  path: "that is no path of a file",
  missing: "there is no such file",
  outside: "it is outside of the workspace",
  secret: "it may hold a secret",
  "not-a-file": "it is no regular file",
  linked: "it has several names, one of which may be a secret's",
  "too-large": "it is too large",
  spent: "as many files as one turn may send have been sent",
  unreadable: "it cannot be read, or was changed while it was read",
  "no-turn": "no turn is running here",
  forbidden: "no files are sent from here",
  quota: "this conversation holds as many files as it may",
  unwritable: "a copy of it could not be kept",
};

/** One sentence that is fit for chat: of a path it tells the last name at most. */
export function formatRefusal(file: string, reason: SendRefusal): string {
  const name = path.posix
    .basename(file)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]/gu, "")
    .trim();
  return `${name === "" ? "A file" : cutText(name, 100)} was not sent: ${because[reason]}.`;
}
