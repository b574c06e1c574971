/** In front of a provider's plain name: the parameter that chooses among the models of that provider alone. */
export const PROVIDER_MODEL_PREFIX = "model_";

const FALLBACK_PROVIDER = "other";
const encoder = new TextEncoder();

/** Who offers a model: its id up to the first slash. Ids without a slash, or with nothing before it, share `other`. */
export function providerOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf("/"))) || FALLBACK_PROVIDER;
}

/**
 * Providers of a list of model ids in the order in which they first appear, each with the name of its own parameter.
 *
 * Names are unique: where two providers have the same plain name, the first keeps it and a later one gets `_2`, `_3`, …
 * behind it, never a name that is the plain one of another provider in the list.
 *
 * @param models - Ids in the order in which people see them: that order decides who keeps a name.
 */
export function providerParameters(models: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  for (const model of models) {
    const provider = providerOf(model);
    if (!plain.has(provider)) plain.set(provider, plainParameter(provider));
  }
  const plainNames = new Set(plain.values());
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const suffixes = new Map<string, number>(); // the last one tried behind a plain name: those below are gone
  for (const [provider, base] of plain) {
    let name = base;
    let suffix = suffixes.get(base) ?? 1;
    while (taken.has(name) || (name !== base && plainNames.has(name))) {
      suffix += 1;
      name = `${base}_${suffix}`;
    }
    suffixes.set(base, suffix);
    taken.add(name);
    names.set(provider, name);
  }
  return names;
}

/** The parameter's name as long as no other provider claims it: one underscore per UTF-8 byte that a name cannot hold. */
export function plainParameter(provider: string): string {
  let name = "";
  for (const byte of encoder.encode(provider)) {
    const char = String.fromCharCode(byte);
    name += /[a-zA-Z0-9_]/.test(char) ? char.toLowerCase() : "_";
  }
  return PROVIDER_MODEL_PREFIX + (name || FALLBACK_PROVIDER);
}
