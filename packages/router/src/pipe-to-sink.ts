import { providerEmojiForModel } from "@acp-kit/statusline";
import type { LogEvent, TurnOutcome } from "./events.ts";
import type { Cursor } from "./log.ts";
import type { Display, MarkupRenderer } from "./renderer.ts";
import type { ChunkSink } from "./sink.ts";
import { reduceTurnView, type TurnView } from "./turn-view.ts";

/**
 * Shows a turn on a {@link ChunkSink}, from where the cursor stands to the turn's end, or to a question: a question is
 * rendered as text and ends this sink's part, the turn runs on.
 *
 * @returns The outcome; `undefined` when the part ended before the turn.
 */
export async function pipeToSink(
  cursor: Cursor,
  sink: ChunkSink,
  renderer: MarkupRenderer<string>,
  show: Display,
  turn: string,
  now: () => number,
): Promise<TurnOutcome | undefined> {
  const memo = {};
  let view: TurnView | undefined;
  let shown = "";
  let firstSeen = false;
  let emojiSent = false;
  let hasShown = false;
  for (let events = await cursor.next(); events; events = await cursor.next()) {
    const before = view;
    for (const event of events) if (event.turn === turn) view = reduceTurnView(view, event);
    if (!view) continue;
    if (!emojiSent && !hasShown && view.model !== undefined) {
      emojiSent = true;
      sink.setProviderEmoji(providerEmojiForModel(view.model));
    }
    if (!firstSeen && events.some(isAgentOutput)) {
      firstSeen = true;
      sink.firstChunk();
    }
    const { mood = "", plan = "" } = view.status;
    if (mood !== (before?.status.mood ?? "") || plan !== (before?.status.plan ?? "")) {
      sink.setStatus(mood, plan);
    }
    const body = renderer.render(view, { show, now: now(), memo }).parts.join("");
    if (body.startsWith(shown)) {
      if (body !== shown) await sink.text(body.slice(shown.length));
    } else {
      await sink.replace(body);
    }
    shown = body;
    hasShown ||= body !== "";
    if (view.outcome?.kind === "failed" || view.outcome?.kind === "agent-exited") {
      await sink.error(renderer.say("error", describe(view.outcome)), "");
    }
    if (view.outcome || view.asks.length > 0) break;
  }
  await sink.done();
  return view?.outcome;
}

type Failed = Extract<TurnOutcome, { kind: "failed" | "agent-exited" }>;

function describe(outcome: Failed): string {
  const why = outcome.kind === "failed" ? outcome.message : "The agent has stopped unexpectedly.";
  return outcome.ref === undefined ? why : `${why} (ref ${outcome.ref})`;
}

/** What counts as the agent's first sign, hidden kinds included. */
function isAgentOutput(event: LogEvent): boolean {
  switch (event.kind) {
    case "text":
    case "thought":
    case "tool-start":
    case "tool-update":
    case "plan":
    case "permission-ask":
    case "file":
    case "content":
      return true;
    default:
      return false;
  }
}
