import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** The JSON Schema that the ACP SDK publishes, with two marks of its own on each definition. */
interface Definition {
  "x-method"?: string;
  "x-side"?: "agent" | "client" | "protocol";
}
interface Schema {
  $defs: Record<string, Definition>;
}

const file = createRequire(import.meta.url).resolve(
  "@agentclientprotocol/sdk/schema/v1/schema.json",
);
const schema = JSON.parse(readFileSync(file, "utf8")) as Schema;
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(schema, "acp");

const validators = new Map<string, ValidateFunction>();
for (const [name, { "x-method": method }] of Object.entries(schema.$defs)) {
  if (method === undefined) continue;
  const part = name.endsWith("Response") ? "result" : "params";
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (validate) validators.set(`${method} ${part}`, validate);
}

/** Everything that was emitted against the schema since the last look; see setup.ts. */
export const violations: string[] = [];
/** How many messages were checked. */
export const checked = { count: 0 };

type Trace = (direction: "in" | "out", message: object) => void;

/** A trace that checks what its side emits: parameters by their method, results by their request's. */
export function wireCheck(): Trace {
  const asked = new Map<unknown, string>();
  return (direction, message) => {
    const { id, method, params, result } = message as Record<string, unknown>;
    if (direction === "in") {
      if (typeof method === "string" && id !== undefined) asked.set(id, method);
      return;
    }
    if (typeof method === "string") check(`${method} params`, params);
    else if (result !== undefined) check(`${asked.get(id)} result`, result);
  };
}

export function check(what: string, value: unknown): void {
  const validate = validators.get(what);
  if (validate === undefined) return;
  checked.count++;
  // As it goes over the wire: members that are undefined are not there.
  const wire: unknown = JSON.parse(JSON.stringify(value));
  if (!validate(wire)) {
    const errors = ajv.errorsText(validate.errors);
    violations.push(`${what}: ${errors}\n${JSON.stringify(wire)}`);
  }
}

export function both(one: Trace, other: Trace | undefined): Trace {
  return (direction, message) => {
    one(direction, message);
    other?.(direction, message);
  };
}
