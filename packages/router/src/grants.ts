import type { PermissionAsk } from "./events.ts";
import { isApprover, type Role } from "./role.ts";
import type { Lease, Store } from "./store.ts";

/** For how long an answer is remembered, in milliseconds. */
export const GRANT_LIFE_MS = 30 * 24 * 3_600_000;

/** Answers that are remembered for one person; the oldest leaves first. */
export const MAX_GRANTS = 50;

/** Longest part of what was allowed that is kept for people to read, in characters. */
const MAX_SUBJECT_CHARS = 120;

/** Where a remembered answer holds. */
export type GrantPlace = {
  readonly agent: string;
  /** The directory that the agent works in. */
  readonly workspace: string;
};

/** An answer that holds again: one person's turns may run exactly this, with this agent, in this workspace. */
export type Grant = GrantPlace & {
  readonly toolKind: string;
  /** Names exactly what is run, see {@link PermissionAsk.rule}. */
  readonly rule: string;
  /** The beginning of what is run, for people. */
  readonly subject: string;
  /** Who allowed it: it holds while they may. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

export function createGrant(
  ask: PermissionAsk,
  rule: string,
  given: GrantPlace & Pick<Grant, "by" | "at">,
): Grant {
  const { agent, workspace, by, at } = given;
  const { toolKind, subject } = ask;
  return { agent, workspace, toolKind, rule, subject: subject.slice(0, MAX_SUBJECT_CHARS), by, at };
}

/** The grant that answers a question, if there is one that still holds. Pure. */
export function findGrant(
  grants: readonly Grant[],
  ask: PermissionAsk,
  { agent, workspace }: GrantPlace,
  roleOf: (user: string) => Role | undefined,
): Grant | undefined {
  return grants.find(
    (grant) =>
      grant.rule === ask.rule &&
      grant.toolKind === ask.toolKind &&
      grant.agent === agent &&
      grant.workspace === workspace &&
      isApprover(roleOf(grant.by)),
  );
}

/** What is remembered for people, under their names: never for a conversation, which others may share. */
export class Grants {
  readonly #store: Store;
  /** Ends with the last change: each is made of what the one before it left. */
  #changed: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Those of a person that are not too old, oldest first. */
  async list(person: string, now: number): Promise<readonly Grant[]> {
    const grants = (await this.#store.readRecord<readonly Grant[]>(grantsKey(person))) ?? [];
    return grants.filter(({ at }) => now - at < GRANT_LIFE_MS);
  }

  /** @param lease - Of any conversation. @throws `fenced` when it is none any more. */
  add(lease: Lease, person: string, grant: Grant): Promise<void> {
    return this.#change(lease, person, grant.at, (grants) => [
      ...grants.filter((other) => !isSame(other, grant)),
      grant,
    ]);
  }

  /** Forgets the grants of a person for these rules; all of them without any. */
  revoke(
    lease: Lease,
    person: string,
    rules: readonly string[] | undefined,
    now: number,
  ): Promise<void> {
    return this.#change(lease, person, now, (grants) =>
      rules ? grants.filter(({ rule }) => !rules.includes(rule)) : [],
    );
  }

  #change(
    lease: Lease,
    person: string,
    now: number,
    change: (grants: readonly Grant[]) => readonly Grant[],
  ): Promise<void> {
    const changed = this.#changed.then(async () => {
      const grants = change(await this.list(person, now)).slice(-MAX_GRANTS);
      await this.#store.writeRecord(
        lease,
        grantsKey(person),
        grants.length > 0 ? grants : undefined,
      );
    });
    this.#changed = changed.catch(() => undefined);
    return changed;
  }
}

/** Name of the record of what is remembered for a person. */
export function grantsKey(person: string): string {
  return `grants:${person}`;
}

function isSame(one: Grant, other: Grant): boolean {
  return (
    one.rule === other.rule &&
    one.toolKind === other.toolKind &&
    one.agent === other.agent &&
    one.workspace === other.workspace
  );
}
