import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { KeptRelay } from "./kept-relay.ts";

/** A turn, as the log has it; `outcome` is empty while it goes on. */
export type LoggedTurn = {
  readonly prompt: string;
  readonly text: string;
  readonly outcome: string;
};

/** All turns of all conversations, those that go on too. */
export function readTurns(relay: Pick<KeptRelay, "stateDir">): readonly LoggedTurn[] {
  const file = path.join(relay.stateDir, "store.db");
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT body FROM events ORDER BY conversation, seq").all();
  database.close();
  const turns = new Map<string, LoggedTurn>();
  for (const { body } of rows) {
    const event = JSON.parse(String(body)) as LoggedEvent;
    if (event.turn !== undefined) turns.set(event.turn, reduceTurn(turns.get(event.turn), event));
  }
  return [...turns.values()];
}

type LoggedEvent = {
  readonly kind: string;
  readonly turn?: string;
  readonly text?: string;
  readonly outcome?: { readonly kind: string };
};

function reduceTurn(
  turn: LoggedTurn = { prompt: "", text: "", outcome: "" },
  { kind, text = "", outcome }: LoggedEvent,
): LoggedTurn {
  if (kind === "turn-queued") return { ...turn, prompt: text };
  if (kind === "text") return { ...turn, text: turn.text + text };
  return outcome === undefined ? turn : { ...turn, outcome: outcome.kind };
}
