import { distance } from "fastest-levenshtein";

/** Something that can be chosen by name: a model, a mode, an agent, a project. */
export type Choosable = { readonly id: string; readonly name: string };

/**
 * What somebody means by a few letters.
 *
 * - `one`: this one; `isExact` where they wrote its id or name.
 * - `several`: these, in the order of the list.
 * - `none`: nothing here is like it.
 */
export type Match<One extends Choosable = Choosable> =
  | { readonly kind: "one"; readonly choice: One; readonly isExact: boolean }
  | { readonly kind: "several"; readonly choices: readonly One[] }
  | { readonly kind: "none" };

/** Dates in ids of models (`20250929`) say nothing that anybody would type. */
const MIN_DATE_DIGITS = 6;

/**
 * Finds what was meant, by ever weaker likeness: the id, the name, the same words, words that begin so in this order, in
 * any order, letters in this order, a slip of the finger. The first likeness that anything has decides. Of several, one
 * that ends with the words is what was meant; else it is ambiguous: a wrong model costs money. Pure.
 */
export function matchChoice<One extends Choosable>(
  typed: string,
  choices: readonly One[],
): Match<One> {
  const exact =
    choices.find(({ id }) => id === typed) ??
    choices.find(({ id }) => id.toLowerCase() === typed.toLowerCase()) ??
    onlyOne(choices.filter(({ name }) => name.toLowerCase() === typed.toLowerCase()));
  if (exact) return { kind: "one", choice: exact, isExact: true };
  const wanted = wordsOf(typed);
  if (wanted.length === 0) return { kind: "none" };
  for (const isLike of likenesses) {
    const found = choices.filter((choice) =>
      namesOf(choice).some((words) => isLike(wanted, words)),
    );
    const [first] = found;
    if (first === undefined) continue;
    const meant =
      onlyOne(found) ??
      onlyOne(found.filter((choice) => namesOf(choice).some((words) => endsWith(wanted, words))));
    return meant
      ? { kind: "one", choice: meant, isExact: false }
      : { kind: "several", choices: found };
  }
  return { kind: "none" };
}

type Likeness = (wanted: readonly string[], words: readonly string[]) => boolean;

const likenesses: readonly Likeness[] = [
  (wanted, words) => wanted.join(" ") === words.join(" "),
  isOrdered,
  (wanted, words) => wanted.every((one) => words.some((word) => beginsWith(word, one))),
  isSubsequence,
  (wanted, words) => wanted.every((one) => words.some((word) => isSlip(one, word))),
];

/** An id with and without the part in front of its last slash, and the name. */
function namesOf({ id, name }: Choosable): readonly (readonly string[])[] {
  const short = id.slice(id.lastIndexOf("/") + 1);
  return [...new Set([id, short, name])].map(wordsOf);
}

/** Runs of letters and runs of digits, folded; whatever stands between them, a smart dash for one, parts them. */
function wordsOf(text: string): readonly string[] {
  const folded = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const runs: readonly string[] = folded.match(/\p{L}+|\p{Nd}+/gu) ?? [];
  return runs.filter((run) => !(isNumber(run) && run.length >= MIN_DATE_DIGITS));
}

function isNumber(word: string): boolean {
  return /^\p{Nd}/u.test(word);
}

/** A number is a unit: `4` does not begin `45`. */
function beginsWith(word: string, beginning: string): boolean {
  return isNumber(beginning) ? word === beginning : word.startsWith(beginning);
}

function isOrdered(wanted: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  for (const word of words) if (at < wanted.length && beginsWith(word, wanted[at] ?? "")) at += 1;
  return at === wanted.length;
}

/** Letters in this order, numbers whole. */
function isSubsequence(wanted: readonly string[], words: readonly string[]): boolean {
  const units = (list: readonly string[]) =>
    list.flatMap((word) => (isNumber(word) ? [word] : [...word]));
  const sought = units(wanted);
  // One or two letters are in most names.
  if (sought.length < 3) return false;
  let at = 0;
  for (const unit of units(words)) if (unit === sought[at]) at += 1;
  return at === sought.length;
}

function isSlip(one: string, word: string): boolean {
  if (isNumber(one) || one.length < 4) return one === word;
  return distance(one, word) <= (one.length >= 8 ? 2 : 1);
}

/** The last words are those that were typed. */
function endsWith(wanted: readonly string[], words: readonly string[]): boolean {
  const tail = words.slice(-wanted.length);
  return tail.length === wanted.length && tail.every((word, at) => word === wanted[at]);
}

function onlyOne<One>(list: readonly One[]): One | undefined {
  return list.length === 1 ? list[0] : undefined;
}
