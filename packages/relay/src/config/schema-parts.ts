import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";

/** An object that refuses keys it does not know and names the ones that were probably meant, one line for each. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => describeUnknown("key", key, Object.keys(shape))).join("\n")
        : "must be an object",
  });
}

/** What to say of a word that is none of `known`. */
export function describeUnknown(what: string, word: string, known: readonly string[]): string {
  if (known.length === 0) return `unknown ${what}; there is none`;
  const nearest = closest(word, [...known]);
  return distance(word.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, word.length / 3)
    ? `unknown ${what}; did you mean "${nearest}"?`
    : `unknown ${what}; known here: ${known.join(", ")}`;
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  const list = values.map((value) => `"${value}"`).join(", ");
  return z.enum(values, {
    error: values.length > 1 ? `must be one of ${list}` : `must be ${list}`,
  });
}

export const text = (what: string) =>
  z.string({ error: `must be ${what}` }).min(1, `must be ${what}`);
export const flag = z.boolean({ error: "must be true or false" });
export const list = <Item extends z.ZodType>(item: Item, what: string) =>
  z.array(item, { error: `must be a list of ${what}` });
export const absolutePath = z
  .string({ error: "must be an absolute path" })
  .regex(/^\//, "must be an absolute path");
export const whole = (min: number, what: string) =>
  z.int(`must be ${what}`).min(min, `must be ${what}`).max(1_000_000_000, `must be ${what}`);
export const days = whole(1, "a whole number of days, 1 or more");

const PORT = "must be a port, 0 to 65535";
export const port = z.int(PORT).min(0, PORT).max(65_535, PORT);

/** Names of bots, agents and workspaces: they stand in logs, in chat and in conversation keys. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export function named<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string().regex(NAME), value, {
      error: (issue) =>
        issue.code === "invalid_key"
          ? "a name has 1 to 64 letters, digits and . _ - and starts with a letter or digit"
          : "must be an object with a name for each entry",
    })
    .default({});
}

/** `${NAME}` reads the environment, `${file:/path}` a file; see {@link import("./secret.ts").resolveSecret}. */
export const secret = text(
  "a text: the secret, or a reference to a variable or file that holds it",
);

const ARGV = 'must be a list such as ["my-agent", "--acp"]';
export const argv = z.array(z.string(ARGV), { error: ARGV }).refine(([program]) => program, ARGV);
