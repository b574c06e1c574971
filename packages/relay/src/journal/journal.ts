import { hashId, type Log } from "../log.ts";
import type { RelayDb } from "../relay-db.ts";
import { describeFailure } from "./describe-failure.ts";
import { JournalTables } from "./journal-tables.ts";

/** What becomes of something that came in. */
export type Decision =
  /** It is a new turn, or waits to be one. */
  | "run"
  /** It belongs to a turn that is there already. */
  | "attach"
  /** It answers a question, stops a turn, shows what was missed, or is a command to the relay. */
  | "answer"
  | "stop"
  | "show"
  | "command"
  /** The platform asked or told something that is for nobody's turn. */
  | "serve"
  /** Whoever sent it is told why nothing is done. */
  | "refuse"
  /** Nothing is done, and nobody is told. */
  | "drop";

/** A request or event as it came in, and what became of it. Never holds text of people. */
export type Inbound = {
  readonly surface: string;
  readonly bot: string;
  /** What came, in the platform's word: `query`, `settings`, … */
  readonly what: string;
  readonly decision: Decision;
  /** One word of a fixed set, such as `not-allowed`: it is the label of a metric. */
  readonly reason: string;
  readonly conversation?: string | undefined;
  readonly message?: string | undefined;
  readonly user?: string | undefined;
  readonly turn?: string | undefined;
  /** Where it came from, for who has no name yet. */
  readonly source?: string | undefined;
};

/** Something that failed. People are shown `ref` and one sentence; the rest is for the operator. */
export type Failure = {
  readonly ref: string;
  readonly conversation?: string | undefined;
  /** What was being done. */
  readonly what: string;
  readonly error: unknown;
};

/** What counts what comes in. */
export type InboundCounter = (
  inbound: Pick<Inbound, "surface" | "bot" | "decision" | "reason">,
) => void;

/** Keeps what came in and what failed, so that an operator can be told later why something was not answered. */
export type Journal = {
  /**
   * One line in the log, one count and one row.
   *
   * @param detail - `counted`: it comes too often for more than the count.
   */
  note(inbound: Inbound, detail?: "noted" | "counted"): void;
  fail(failure: Failure): void;
};

export type JournalOptions = {
  readonly db: RelayDb;
  readonly log: Log;
  readonly now: () => number;
  readonly count: InboundCounter;
  /** Takes secrets out of what is kept of a failure. */
  readonly redact: (text: string) => string;
};

/** The journal in the relay's database. What cannot be kept there is logged, and keeps nobody from being answered. */
export function createJournal({ db, log, now, count, redact }: JournalOptions): Journal {
  const tables = new JournalTables(db);
  const keep = (what: string, write: () => void) => {
    try {
      write();
    } catch (err) {
      log.error({ err }, `${what} could not be kept in the journal`);
    }
  };
  return {
    note(inbound, detail = "noted") {
      count(inbound);
      if (detail === "counted") return;
      const { conversation, message, user, ...plain } = inbound;
      const entry = {
        ...plain,
        ...(conversation && { conversation: hashId(conversation) }),
        ...(message && { message: hashId(message) }),
        ...(user && { user: hashId(user) }),
      };
      log.info(entry, "came in");
      const { source: _, ...kept } = entry;
      keep("what came in", () => tables.addEntry({ at: now(), ...kept }));
    },
    fail({ ref, conversation, what, error: err }) {
      const named = conversation === undefined ? {} : { conversation: hashId(conversation) };
      log.error({ ref, ...named, what, err }, "something failed");
      keep("a failure", () => {
        const { code, detail } = describeFailure(err);
        tables.addFailure({ ref, at: now(), ...named, what, code, detail: redact(detail) });
      });
    },
  };
}
