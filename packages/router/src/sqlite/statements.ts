import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { RouterError } from "../errors.ts";

type Prepared = { readonly statement: StatementSync; readonly isNumbered: boolean };

/** Runs SQL by its text; each text is prepared once. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @returns How many rows were written. */
  run(sql: string, ...values: SQLInputValue[]): number {
    const prepared = this.#prepare(sql);
    return Number(prepared.statement.run(...bound(prepared, values)).changes);
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    const prepared = this.#prepare(sql);
    return prepared.statement.get(...bound(prepared, values)) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    const prepared = this.#prepare(sql);
    return prepared.statement.all(...bound(prepared, values)) as Row[];
  }

  /** Row by row; who stops early must end the iteration, as `for … of` does. */
  each<Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
    const prepared = this.#prepare(sql);
    return prepared.statement.iterate(...bound(prepared, values)) as IterableIterator<Row>;
  }

  /** The statement itself, for whoever runs it in a loop; its parameters must not be numbered. */
  prepare(sql: string): StatementSync {
    return this.#prepare(sql).statement;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (!this.#database.isOpen) throw new RouterError("The store is closed", { code: "closed" });
    const prepared = { statement: this.#database.prepare(sql), isNumbered: sql.includes("?1") };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/**
 * Numbered parameters by their number: Node.js 22 up to 22.22 gives positional values to unnumbered ones only. That
 * takes time, so what is run for every event has none.
 */
function bound({ isNumbered }: Prepared, values: SQLInputValue[]): SQLInputValue[] {
  if (!isNumbered) return values;
  const named = Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
  return [named as unknown as SQLInputValue];
}
