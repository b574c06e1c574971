/** What is wrong with a parsed JSON value, in words that begin with the place, or `undefined`. */
export type Check = (value: unknown, at: string) => string | undefined;

export const isText: Check = (value, at) => {
  if (typeof value !== "string") return `${at} is no text`;
  // Python's JSON readers stop at half a surrogate pair, and Poe then drops the whole settings.
  return value.isWellFormed() ? undefined : `${at} ends inside a character`;
};

export const isSwitch: Check = (value, at) =>
  typeof value === "boolean" ? undefined : `${at} is neither true nor false`;

/** JSON has no other numbers than finite ones. */
export const isNumber: Check = (value, at) =>
  typeof value === "number" ? undefined : `${at} is no number`;

export const isCount: Check = (value, at) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : `${at} is no whole number`;

export const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value, at) =>
    values.includes(value) ? undefined : `${at} is none of ${values.join(", ")}`;

export const isEither =
  (...checks: readonly Check[]): Check =>
  (value, at) => {
    const problems = checks.map((check) => check(value, at));
    return problems.includes(undefined) ? undefined : problems.join(", and ");
  };

/** A list of at least one member. */
export const isListOf =
  (member: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value) || value.length === 0) return `${at} is no list with a member`;
    return firstProblem(value.map((each, index) => () => member(each, `${at}[${index}]`)));
  };

/** An object of any keys. */
export const isRecordOf =
  (member: Check): Check =>
  (value, at) => {
    if (!isRecord(value)) return `${at} is no object`;
    return firstProblem(
      Object.entries(value).flatMap(([key, each]) => [
        () => isText(key, `a key of ${at}`),
        () => member(each, `${at}.${key}`),
      ]),
    );
  };

/** An object of these keys and no other. */
export const isShape = (
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check => {
  const known = new Map([...Object.entries(optional), ...Object.entries(required)]);
  const needed = Object.keys(required);
  return (value, at) => {
    if (!isRecord(value)) return `${at} is no object`;
    const missing = needed.find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) return `${at}.${missing} is missing`;
    return firstProblem(
      Object.entries(value).map(([key, each]) => () => {
        const check = known.get(key);
        return check ? check(each, `${at}.${key}`) : `${at}.${key} is nothing that Poe knows`;
      }),
    );
  };
};

export function firstProblem(checks: Iterable<() => string | undefined>): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
