import type { RelayDb } from "../relay-db.ts";

/** Why no turn starts. */
export type Pause = {
  /** Who has paused the relay; empty: the console. */
  readonly by: string;
  /** May be empty. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/** Longest reason, in characters. */
export const MAX_REASON_CHARS = 200;

/** Keeps every process of the relay from starting turns. What runs goes on. */
export class PauseSwitch {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  get pause(): Pause | undefined {
    return this.#db.get<Pause>("SELECT * FROM people_pause");
  }

  /** Pauses, or goes on pausing: without a reason, that of before stays. */
  set({ by, reason, at }: Pause): void {
    const plain = reason
      .replace(/[\p{C}\s]+/gu, " ")
      .trim()
      .slice(0, MAX_REASON_CHARS);
    this.#db.transaction(() => {
      const kept = plain === "" ? (this.pause?.reason ?? "") : plain;
      this.#db.run("DELETE FROM people_pause");
      this.#db.run("INSERT INTO people_pause VALUES (?, ?, ?)", by, kept, at);
    });
  }

  /** False: it was not paused. */
  clear(): boolean {
    return this.#db.run("DELETE FROM people_pause") > 0;
  }
}

/** What people are told whose turn does not start. Pure. */
export function formatPause({ reason }: Pause): string {
  const why = reason === "" ? "" : ` (${reason})`;
  return `This bot is paused${why}. Nothing was started; send your message again later.`;
}
