import {
  EMPTY_BUDGET,
  POE_LIMITS,
  type PoeBudget,
  type PoeComment,
  type PoeEvent,
  type PoeLimits,
  reduceBudget,
} from "@acp-kit/poe-protocol";
import { createSseDecoder, type SseItem } from "./sse-decoder.ts";
import { findBadData, type PoeViolation, type PoeViolationCode } from "./violation.ts";

/**
 * Reads one response at least as strictly as Poe's Python client does, which gives up on any data
 * that is not JSON and reports unknown events, a missing `done` and an answer without output.
 */
export type PoeReader = {
  /** @returns what these bytes completed: well-formed events, and comments */
  push(bytes: Uint8Array): readonly (PoeEvent | PoeComment)[];
  /** The response is over. Call once. */
  end(): void;
  /** Everything well-formed so far, in order. */
  readonly frames: readonly (PoeEvent | PoeComment)[];
  readonly violations: readonly PoeViolation[];
  readonly budget: PoeBudget;
  /** Whether `done` has been read. */
  readonly isDone: boolean;
  /** What Poe shows: all texts since the last `replace_response`, up to `error` or `done`. */
  body(): string;
};

const EVENTS = [
  "meta",
  "text",
  "replace_response",
  "suggested_reply",
  "file",
  "data",
  "json",
  "error",
  "done",
];

/** The reader never throws and never stops early: it lists what is wrong, and reads on. */
export function createPoeReader(limits: PoeLimits = POE_LIMITS): PoeReader {
  const decoder = createSseDecoder();
  const frames: (PoeEvent | PoeComment)[] = [];
  const violations: PoeViolation[] = [];
  let budget = EMPTY_BUDGET;
  let body = "";
  /** Dispatched frames, well-formed or not. */
  let count = 0;
  let hasOutput = false;
  let ending: "error" | "done" | undefined;

  const violate = (code: PoeViolationCode, message: string) => {
    violations.push({ code, message });
  };

  const takeEvent = (name: string, json: string): PoeEvent | undefined => {
    count += 1;
    const what = `event ${count} (${name})`;
    if (ending === "done") violate("after-done", `${what} behind done`);
    if (ending === "error" && name !== "done") {
      violate("after-error", `${what} behind error`);
    }
    let data: unknown;
    try {
      data = JSON.parse(json);
    } catch {
      violate("bad-json", `${what}: data is not JSON: ${JSON.stringify(json.slice(0, 200))}`);
      return undefined;
    }
    if (typeof data !== "object" || data === null || Array.isArray(data)) {
      violate("bad-json", `${what}: data is no object: ${json.slice(0, 200)}`);
      return undefined;
    }
    if (!EVENTS.includes(name)) {
      violate("unknown-event", `${what} is not in the protocol`);
      return undefined;
    }
    if (name === "meta" && count > 1) violate("meta-once", `${what} comes late`);
    if (name !== "meta" && count === 1) violate("meta-first", `${what} comes first`);
    const wrong = findBadData(name, { ...data });
    if (wrong !== undefined) {
      violate("bad-data", `${what}: ${wrong}`);
      return undefined;
    }
    return { event: name, data } as PoeEvent;
  };

  const apply = (event: PoeEvent): void => {
    const before = budget;
    budget = reduceBudget(budget, event);
    if (isPassed(limits.events, before.events, budget.events)) {
      violate("too-many-events", `more than ${limits.events} events`);
    }
    if (isPassed(limits.textCharacters, before.textCharacters, budget.textCharacters)) {
      violate("too-much-text", `more than ${limits.textCharacters} characters of text`);
    }
    if (ending !== undefined && event.event !== "done") return;
    if (event.event === "text") body += event.data.text;
    if (event.event === "replace_response") body = event.data.text;
    if (["text", "replace_response", "error"].includes(event.event)) hasOutput = true;
    if (event.event === "error") ending = "error";
    if (event.event === "done") {
      if (!hasOutput) violate("no-output", "done without text, replace or error");
      ending = "done";
    }
  };

  const takeItem = (item: SseItem): PoeEvent | PoeComment | undefined => {
    switch (item.kind) {
      case "message": {
        const event = takeEvent(item.event, item.data);
        if (event !== undefined) apply(event);
        return event;
      }
      case "comment":
        if (ending !== undefined) {
          violate(`after-${ending}`, `a comment behind ${ending}`);
        }
        return { comment: item.text };
      case "stray-line":
        violate(item.kind, `behind event ${count}: ${JSON.stringify(item.line.slice(0, 200))}`);
        return undefined;
      case "bad-utf8":
      case "unfinished-frame":
        violate(item.kind, `behind event ${count}`);
        return undefined;
    }
  };

  const takeItems = (items: readonly SseItem[]) => {
    const from = frames.length;
    for (const item of items) {
      const frame = takeItem(item);
      if (frame !== undefined) frames.push(frame);
    }
    return frames.slice(from);
  };

  return {
    push: (bytes) => takeItems(decoder.push(bytes)),
    end() {
      takeItems(decoder.end());
      if (ending !== "done") violate("done-missing", `ended behind event ${count}`);
    },
    frames,
    violations,
    get budget() {
      return budget;
    },
    get isDone() {
      return ending === "done";
    },
    body: () => body,
  };
}

function isPassed(limit: number, before: number, after: number): boolean {
  return before <= limit && after > limit;
}
