import { SlackFailure } from "./failure.ts";

/** Arguments of a call, which come as a form (nested ones as JSON in it) or as JSON. */
export class Args {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  static parse(body: string, contentType: string): Args {
    if (contentType.startsWith("application/json")) {
      const value = parseJson(body);
      if (!isRecord(value)) throw new SlackFailure("invalid_json");
      return new Args(value);
    }
    return new Args(Object.fromEntries(new URLSearchParams(body)));
  }

  get values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null && value !== "";
  }

  text(name: string): string {
    const value = this.#values[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }

  /** @throws SlackFailure `code` when it is missing. */
  required(name: string, code = "invalid_arguments"): string {
    const value = this.text(name);
    if (value === "") throw new SlackFailure(code);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#values[name];
    return value === true || value === "true" || value === "1";
  }

  number(name: string, otherwise: number): number {
    return this.has(name) ? Number(this.text(name)) : otherwise;
  }

  /** @throws SlackFailure `code` when it is no JSON. */
  json(name: string, code = "invalid_arguments"): unknown {
    if (!this.has(name)) return undefined;
    const value = this.#values[name];
    if (typeof value !== "string") return value;
    const parsed = parseJson(value);
    if (parsed === undefined) throw new SlackFailure(code);
    return parsed;
  }

  /** @throws SlackFailure `code` when it is no list of objects. */
  list(name: string, code: string): readonly Record<string, unknown>[] {
    const value = this.json(name, code) ?? [];
    if (!Array.isArray(value) || !value.every(isRecord)) throw new SlackFailure(code);
    return value;
  }

  record(name: string, code = "invalid_arguments"): Record<string, unknown> | undefined {
    const value = this.json(name, code);
    if (value !== undefined && !isRecord(value)) throw new SlackFailure(code);
    return value;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
