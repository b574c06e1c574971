import { type AccessRule, isFor, type Place } from "./access-rule.ts";

/**
 * The models that any rule for a place lists, of those that the agent's configuration lists; `undefined` when somebody
 * may choose any. Pure.
 */
export function listedModels(
  rules: readonly AccessRule[],
  place: Place,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  const models = new Set<string>();
  for (const rule of rules) {
    if (!isFor(rule, place)) continue;
    if (rule.models === undefined || rule.models.includes("*")) return own;
    for (const model of rule.models) models.add(model);
  }
  if (models.size === 0) return own;
  return [...models].filter((model) => own === undefined || own.includes(model));
}
