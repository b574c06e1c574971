import { createHash } from "node:crypto";
import type { RelayDb } from "@acp-kit/relay";

/** A question that was shown, or is about to be. */
export type KeptQuestion = {
  /** What its buttons carry: it says nothing by itself. */
  readonly reference: string;
  /** The router's names of where it stands. */
  readonly conversation: string;
  readonly turn: string;
  readonly permission: string;
  readonly requester: string;
  readonly channel: string;
  /** Of its message; absent while that is not known. */
  readonly ts: string | undefined;
  /** `reminded`: it is open, and its requester was asked again. `ended`: its message shows no buttons any more. */
  readonly state: "open" | "reminded" | "ended";
};

type Row = Omit<KeptQuestion, "ts"> & { readonly ts: string | null };

/** The questions that have messages: what counts of a click is what stands here. */
export class QuestionBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  /** What counts of a click: an unknown or ended reference answers nothing. */
  find(reference: string): KeptQuestion | undefined {
    return read(this.#db.get<Row>("SELECT * FROM slack_questions WHERE reference = ?", reference));
  }

  /** Of a conversation, in no order. */
  of(conversation: string): readonly KeptQuestion[] {
    const sql = "SELECT * FROM slack_questions WHERE conversation = ?";
    return this.#db.all<Row>(sql, conversation).flatMap((row) => read(row) ?? []);
  }

  /** To be kept before its message is posted. One that is kept stays as it is. */
  add(question: Omit<KeptQuestion, "reference" | "ts" | "state">): KeptQuestion {
    const { conversation, turn, permission, requester, channel } = question;
    const reference = createQuestionReference(question);
    this.#db.run(
      "INSERT OR IGNORE INTO slack_questions VALUES (?, ?, ?, ?, ?, ?, NULL, 'open')",
      ...[reference, conversation, turn, permission, requester, channel],
    );
    return this.find(reference) ?? { ...question, reference, ts: undefined, state: "open" };
  }

  posted(reference: string, ts: string): void {
    this.#db.run("UPDATE slack_questions SET ts = ? WHERE reference = ?", ts, reference);
  }

  reminded(reference: string): void {
    this.#db.run("UPDATE slack_questions SET state = 'reminded' WHERE reference = ?", reference);
  }

  ended(reference: string): void {
    this.#db.run("UPDATE slack_questions SET state = 'ended' WHERE reference = ?", reference);
  }

  /** What nobody can press any more need not be known. */
  forget(conversation: string, turn: string): void {
    this.#db.run(
      "DELETE FROM slack_questions WHERE conversation = ? AND turn = ? AND state = 'ended'",
      conversation,
      turn,
    );
  }
}

/** The same for each process that comes to the question. */
export function createQuestionReference(
  question: Pick<KeptQuestion, "conversation" | "turn" | "permission">,
): string {
  const { conversation, turn, permission } = question;
  const digest = createHash("sha256").update(JSON.stringify([conversation, turn, permission]));
  return digest.digest("hex").slice(0, 32);
}

function read(row: Row | undefined): KeptQuestion | undefined {
  return row && { ...row, ts: row.ts ?? undefined };
}
