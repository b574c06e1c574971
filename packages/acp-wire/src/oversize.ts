import { isMessageId, type MessageId } from "./message.ts";

/** What a line that was too long would have been, as far as its start tells. */
export type Oversize =
  /** The answer to a request of ours. */
  | { readonly kind: "answer"; readonly id: MessageId }
  /** A request of the peer, which waits for its answer. */
  | { readonly kind: "request"; readonly id: MessageId }
  | { readonly kind: "other"; readonly sessionId: string | undefined };

/** The members of a message that are short and stand first, as a whole. */
const HEAD = /^\s*\{((?:\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+|null)\s*,)+)/;
const SESSION_ID = /"sessionId"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** Reads the start of a line that was too long. Pure. */
export function parseOversize(start: string): Oversize {
  const { id, method } = headOf(start);
  if (isMessageId(id)) return { kind: typeof method === "string" ? "request" : "answer", id };
  const [, quoted] = SESSION_ID.exec(start) ?? [];
  return { kind: "other", sessionId: quoted && parseString(quoted) };
}

function headOf(start: string): { id?: unknown; method?: unknown } {
  const [, head = ""] = HEAD.exec(start) ?? [];
  try {
    return JSON.parse(`{${head.trimEnd().slice(0, -1)}}`) as { id?: unknown; method?: unknown };
  } catch {
    return {};
  }
}

function parseString(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
