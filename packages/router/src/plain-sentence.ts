const MAX_CODE_POINTS = 240;

/** Words and what stands between them in a sentence: no brackets of data, no slash of a path, nothing that is markup. */
const PLAIN = /^[\p{L}\p{N} .,;:!?'"’“”()+&%–—-]+$/u;

/** What a key, a digest or an id looks like: long, of letters and digits, or with the first letters that keys have. */
const OPAQUE =
  /[\p{L}\p{N}-]{25,}|\d{7,}|(?=\p{L}*\d)(?=\d*\p{L})[\p{L}\d]{8,}|\b(?:sk|pk|rk|xox[a-z])-/iu;

/** Names of files, hosts and members, and addresses: `a.b`. */
const DOTTED = /[\p{L}\p{N}]\.[\p{L}\p{N}]/u;

/** Words around which secrets and whereabouts are found. */
const TELLING =
  /\b(?:bearer|token|password|secret|api[ -]?key|stack|errno|home|users?|root)\b\s*[:=]/iu;

/**
 * An error text of an agent when it is fit for chat: one line of plain words, nothing that could be a path, an address, a
 * key, a stack or markup. It errs on the side of `undefined`. Pure.
 */
export function findPlainSentence(message: string): string | undefined {
  const text = message.trim();
  const isPlain = [...text].length <= MAX_CODE_POINTS && /\p{L}/u.test(text) && PLAIN.test(text);
  if (!isPlain || OPAQUE.test(text) || DOTTED.test(text) || TELLING.test(text)) return undefined;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
