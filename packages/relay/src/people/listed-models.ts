import { type AccessRule, isFor, type Place } from "./access-rule.ts";

/** The models that any rule for a place lists; `undefined` when somebody may choose any. Pure. */
export function listedModels(
  rules: readonly AccessRule[],
  place: Place,
): readonly string[] | undefined {
  const models = new Set<string>();
  for (const rule of rules) {
    if (!isFor(rule, place)) continue;
    if (rule.models === undefined || rule.models.includes("*")) return undefined;
    for (const model of rule.models) models.add(model);
  }
  return models.size === 0 ? undefined : [...models];
}
