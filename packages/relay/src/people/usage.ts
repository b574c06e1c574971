import type { RelayDb } from "../relay-db.ts";
import {
  DAY_MS,
  findFreeAt,
  formatNear,
  formatOver,
  type Limits,
  type Measure,
  QUOTAS,
  type Quota,
  type Scope,
  type Spent,
  standingOf,
} from "./limits.ts";

/** A turn that wants to start. */
export type StartingTurn = {
  readonly turn: string;
  readonly conversation: string;
  readonly user: string;
  /** Name of the workspace. */
  readonly workspace: string;
};

/** Whether a turn starts. The texts are fit for chat; `reason` is the name of the limit. */
export type UsageAdmission =
  | { readonly kind: "admitted"; readonly notice?: string; readonly near: readonly string[] }
  | { readonly kind: "refused"; readonly text: string; readonly reason: string };

/** What is known of a turn at its end. Tokens and cost are those of the whole session, as far as the agent tells. */
export type TurnSpending = {
  readonly turn: string;
  readonly agent: string;
  readonly session: string;
  readonly model?: string | undefined;
  readonly tokens?: number | undefined;
  readonly cost?: { readonly amount: number; readonly currency: string } | undefined;
};

/** Who or what used it, as a list for people says it. */
export type UsageGroup = "user" | "project" | "model";

export type UsageSum = {
  readonly turns: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly cost: number;
};

/** For how long it is kept what a turn used, in days, and for how many turns at most. */
const KEEP_DAYS = 90;
const KEEP_TURNS = 200_000;

/** A turn whose process has not said for so long that it runs has ended with it, in milliseconds. */
const LEASE_MS = 90_000;
const RENEW_MS = 30_000;

/** What people have used, and whether they may go on: counted by all processes of the relay together. */
export class Usage implements AsyncDisposable {
  readonly #db: RelayDb;
  readonly #limits: Limits;
  readonly #now: () => number;
  /** Turns that this process runs. */
  readonly #running = new Set<string>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(db: RelayDb, limits: Limits, now: () => number) {
    this.#db = db;
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts a turn that starts now, unless a limit is reached. Then nothing is counted. */
  start(turn: StartingTurn): UsageAdmission {
    const now = this.#now();
    const admission = this.#db.transaction(
      () => this.#findBusy(turn, now) ?? this.#count(turn, now),
    );
    if (admission.kind === "admitted") this.#hold(turn.turn);
    return admission;
  }

  /** Counts a message that joins a turn that runs already, unless a limit is reached; `turn` is the one that it would have had. */
  join(turn: StartingTurn): UsageAdmission {
    const now = this.#now();
    return this.#db.transaction(() => {
      const admission = this.#count(turn, now);
      this.#db.run("UPDATE usage_turns SET ended_at = at WHERE turn = ?", turn.turn);
      return admission;
    });
  }

  /** Notes what an agent says that a session has used; the difference to its last turn is this one's. */
  spend({ turn, agent, session, model = "", tokens, cost }: TurnSpending): void {
    const named = `${agent}/${session}`;
    this.#db.transaction(() => {
      this.#db.run(
        `UPDATE usage_turns SET agent = ?, model = ?, session = ?, session_tokens = ?, session_cost = ?,
           tokens = ?, cost = ?, currency = ? WHERE turn = ?`,
        agent,
        model,
        named,
        tokens ?? null,
        cost?.amount ?? null,
        growth(this.#last("session_tokens", named, turn), tokens),
        growth(this.#last("session_cost", named, turn), cost?.amount),
        cost?.currency ?? "",
        turn,
      );
    });
  }

  /** No-op for a turn that was not counted. */
  end(turn: string): void {
    if (!this.#running.delete(turn)) return;
    if (this.#running.size === 0) this.#stopRenewal();
    this.#db.run("UPDATE usage_turns SET ended_at = ? WHERE turn = ?", this.#now(), turn);
  }

  /** What a person has used in the last so many milliseconds. */
  of(user: string, windowMs: number): UsageSum {
    const now = this.#now();
    const sql = `SELECT ${SUMS} FROM usage_turns WHERE user = ?2 AND at > ?3`;
    return this.#db.get<UsageSum>(sql, now, user, now - windowMs) ?? NOTHING;
  }

  /** What was used in the last so many milliseconds, the most expensive first; at most 200 rows. */
  by(group: UsageGroup, windowMs: number): readonly (UsageSum & { readonly name: string })[] {
    const now = this.#now();
    const column = columns[group];
    return this.#db.all(
      `SELECT ${column} AS name, ${SUMS} FROM usage_turns WHERE at > ?2
       GROUP BY ${column} ORDER BY cost DESC, tokens DESC, minutes DESC LIMIT 200`,
      now,
      now - windowMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopRenewal();
  }

  #count(turn: StartingTurn, now: number): UsageAdmission {
    // One that could not join a turn now has its own; it is not counted twice.
    this.#db.run("DELETE FROM usage_turns WHERE turn = ?", turn.turn);
    const notices: string[] = [];
    const near: string[] = [];
    for (const quota of QUOTAS) {
      const limit = this.#limits[quota.name];
      if (limit === undefined) continue;
      const subject = subjectOf(quota.scope, turn);
      const used = this.#used(quota, subject, now);
      const standing = standingOf(quota, limit, used);
      if (standing === "over") {
        const freeAt = findFreeAt(quota, limit, this.#spent(quota, subject, now), now);
        const text = formatOver(quota, limit, freeAt, now);
        return { kind: "refused", text, reason: quota.name };
      }
      if (standing === "near" && this.#mayWarn(quota, subject, now)) {
        notices.push(formatNear(quota, limit, used));
        near.push(quota.name);
      }
    }
    this.#insert(turn, now);
    return { kind: "admitted", near, ...(notices.length > 0 && { notice: notices.join(" ") }) };
  }

  #findBusy({ turn, user }: StartingTurn, now: number): UsageAdmission | undefined {
    const { concurrentTurns, concurrentPerUser } = this.#limits;
    if (concurrentTurns === undefined && concurrentPerUser === undefined) return undefined;
    const open = this.#db.all<{ user: string }>(
      "SELECT user FROM usage_turns WHERE ended_at IS NULL AND alive_until > ? AND turn <> ?",
      now,
      turn,
    );
    const own = open.filter((one) => one.user === user).length;
    if (concurrentPerUser !== undefined && own >= concurrentPerUser) {
      const text = `${formatTurns(own)} of yours ${own === 1 ? "runs" : "run"} already, which is the limit. Send your message again once one has ended.`;
      return { kind: "refused", text, reason: "concurrentPerUser" };
    }
    if (concurrentTurns === undefined || open.length < concurrentTurns) return undefined;
    const text =
      "This bot is busy with as much as it may do at a time. Try again in a few minutes.";
    return { kind: "refused", text, reason: "concurrentTurns" };
  }

  /** What a session had used up when its newest other turn ended. */
  #last(column: "session_tokens" | "session_cost", session: string, turn: string) {
    const sql = `SELECT ${column} AS value FROM usage_turns
      WHERE session = ? AND turn <> ? AND ${column} IS NOT NULL ORDER BY id DESC LIMIT 1`;
    return this.#db.get<{ value: number }>(sql, session, turn)?.value;
  }

  /** Of what runs, minutes count as far as they have run. */
  #used({ scope, measure, windowMs }: Quota, subject: string, now: number): number {
    const sql = `SELECT coalesce(sum(${amounts[measure]}), 0) AS used FROM usage_turns
      WHERE ${wheres[scope]} AND at > ?3`;
    return this.#db.get<{ used: number }>(sql, now, subject, now - windowMs)?.used ?? 0;
  }

  #spent({ scope, measure, windowMs }: Quota, subject: string, now: number): readonly Spent[] {
    const sql = `SELECT at, ${amounts[measure]} AS amount FROM usage_turns
      WHERE ${wheres[scope]} AND at > ?3 ORDER BY at`;
    return this.#db.all<Spent>(sql, now, subject, now - windowMs);
  }

  /** True once in a window. */
  #mayWarn({ name, windowMs }: Quota, subject: string, now: number): boolean {
    const sql = `INSERT INTO usage_warnings VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET until = ?3 WHERE until <= ?4`;
    return this.#db.run(sql, name, subject, now + windowMs, now) > 0;
  }

  #insert({ turn, conversation, user, workspace }: StartingTurn, now: number): void {
    this.#db.run(
      `INSERT OR REPLACE INTO usage_turns (turn, conversation, user, workspace, at, alive_until)
       VALUES (?, ?, ?, ?, ?, ?)`,
      turn,
      conversation,
      user,
      workspace,
      now,
      now + LEASE_MS,
    );
    this.#db.run("DELETE FROM usage_turns WHERE at <= ?", now - KEEP_DAYS * DAY_MS);
    const tooOld = "SELECT max(id) - ? FROM usage_turns";
    this.#db.run(`DELETE FROM usage_turns WHERE id <= (${tooOld})`, KEEP_TURNS);
    this.#db.run("DELETE FROM usage_warnings WHERE until <= ?", now - DAY_MS);
  }

  #hold(turn: string): void {
    this.#running.add(turn);
    this.#renewal ??= setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  #renew(): void {
    const sql = "UPDATE usage_turns SET alive_until = ? WHERE turn = ? AND ended_at IS NULL";
    try {
      for (const turn of this.#running) this.#db.run(sql, this.#now() + LEASE_MS, turn);
    } catch {
      // A lease outlives two that fail; what is wrong with the database the next turn says.
    }
  }

  #stopRenewal(): void {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
  }
}

const MINUTES = "(coalesce(ended_at, min(alive_until, ?1)) - at) / 60000.0";

const amounts: Readonly<Record<Measure, string>> = {
  turns: "1",
  minutes: MINUTES,
  tokens: "tokens",
  cost: "cost",
};

const SUMS = `count(*) AS turns, coalesce(sum(${MINUTES}), 0) AS minutes,
  coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost`;

const columns: Readonly<Record<UsageGroup, string>> = {
  user: "user",
  project: "workspace",
  model: "model",
};

const NOTHING: UsageSum = { turns: 0, minutes: 0, tokens: 0, cost: 0 };

/** The rows that a limit is about. */
const wheres: Readonly<Record<Scope, string>> = {
  user: "user = ?2",
  conversation: "conversation = ?2",
  project: "workspace = ?2",
  everybody: "TRUE",
};

function subjectOf(scope: Scope, { user, conversation, workspace }: StartingTurn): string {
  return { user, conversation, project: workspace, everybody: "" }[scope];
}

/** What was added to a sum; one that has become smaller has begun anew. */
function growth(before: number | undefined, after: number | undefined): number {
  if (after === undefined) return 0;
  return before !== undefined && before <= after ? after - before : after;
}

function formatTurns(count: number): string {
  return count === 1 ? "One turn" : `${count} turns`;
}
