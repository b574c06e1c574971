import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { RouterError } from "../errors.ts";

/** Runs SQL by its text; each text is prepared once. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @returns How many rows were written. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...bound(sql, values)).changes);
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...bound(sql, values)) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...bound(sql, values)) as Row[];
  }

  /** Row by row; who stops early must end the iteration, as `for … of` does. */
  each<Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
    return this.#prepare(sql).iterate(...bound(sql, values)) as IterableIterator<Row>;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (!this.#database.isOpen) throw new RouterError("The store is closed", { code: "closed" });
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** Numbered parameters by their number: Node.js 22 up to 22.22 gives positional values to unnumbered ones only. */
function bound(sql: string, values: SQLInputValue[]): SQLInputValue[] {
  if (!sql.includes("?1")) return values;
  const named = Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
  return [named as unknown as SQLInputValue];
}
