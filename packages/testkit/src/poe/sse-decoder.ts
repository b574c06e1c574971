import { TextDecoder } from "node:util";

/** One dispatched frame, a comment, or what no frame of Poe's protocol holds. */
export type SseItem =
  | { kind: "message"; event: string; data: string }
  | { kind: "comment"; text: string }
  | { kind: "stray-line"; line: string }
  | { kind: "bad-utf8" }
  | { kind: "unfinished-frame" };

export type SseDecoder = {
  push(bytes: Uint8Array): SseItem[];
  end(): SseItem[];
};

/**
 * Cuts bytes into frames the way Poe's own client does, which is not quite the SSE standard: a
 * byte order mark stays and spoils the first line, and a frame without `data` is dispatched with
 * empty data instead of being forgotten. `id`, `retry` and unknown fields are stray lines.
 */
export function createSseDecoder(): SseDecoder {
  const options = { ignoreBOM: true };
  const strict = new TextDecoder("utf-8", { ...options, fatal: true });
  /** Set at the first byte that is not UTF-8; decodes from there on. */
  let lossy: TextDecoder | undefined;
  /** Text behind the last line end. */
  let rest = "";
  /** The last character was CR: an LF that comes now belongs to it. */
  let endedInCr = false;
  /** Fields since the last blank line. */
  let event: string | undefined;
  let data: string[] = [];
  let items: SseItem[] = [];

  const decode = (bytes: Uint8Array): string => {
    if (lossy === undefined) {
      try {
        return strict.decode(bytes, { stream: true });
      } catch {
        lossy = new TextDecoder("utf-8", options);
        items.push({ kind: "bad-utf8" });
      }
    }
    return lossy.decode(bytes, { stream: true });
  };

  const isInFrame = () => event !== undefined || data.length > 0;

  const takeLine = (line: string): void => {
    if (line === "") {
      if (!isInFrame()) return;
      items.push({ kind: "message", event: event ?? "message", data: data.join("\n") });
      event = undefined;
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (colon === 0) items.push({ kind: "comment", text: value });
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else items.push({ kind: "stray-line", line });
  };

  const takeItems = (): SseItem[] => {
    const taken = items;
    items = [];
    return taken;
  };

  return {
    push(bytes) {
      let text = decode(bytes);
      if (text === "") return takeItems();
      if (endedInCr && text.startsWith("\n")) text = text.slice(1);
      endedInCr = text.endsWith("\r");
      // Only the new text is looked through: a line of many chunks would cost their square.
      const [first = "", ...more] = text.split(/\r\n|\n|\r/);
      rest += first;
      for (const line of more) {
        takeLine(rest);
        rest = line;
      }
      return takeItems();
    },
    end() {
      if (rest !== "" || isInFrame()) items.push({ kind: "unfinished-frame" });
      return takeItems();
    },
  };
}
