import { type AccessRule, isFor, type Place } from "./access-rule.ts";

/**
 * The modes that any rule for a place opens, of those that the agent's configuration lists; `undefined` when somebody may
 * choose any. Pure.
 */
export function listedModes(
  rules: readonly AccessRule[],
  place: Place,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  if (hasOperators(rules, place)) return undefined;
  const isBounded = own !== undefined && !own.includes("*");
  const modes = new Set<string>();
  for (const { modes: named = own ?? [] } of rules.filter((rule) => isFor(rule, place))) {
    if (named.includes("*") && !isBounded) return undefined;
    for (const mode of named.includes("*") ? (own ?? []) : named) modes.add(mode);
  }
  return [...modes].filter((mode) => !isBounded || own.includes(mode));
}

/** Whether operators talk in a place, as far as rules say it; where there is no rule, whoever is there was let in. */
export function hasOperators(rules: readonly AccessRule[], place: Place): boolean {
  const own = rules.filter((rule) => isFor(rule, place));
  return own.length === 0 || own.some(({ role }) => role === "operator");
}
