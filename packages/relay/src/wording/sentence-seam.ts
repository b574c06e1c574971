/**
 * Whether a sentence ends where the next one begins, without a space between them. The first letter of what follows is
 * enough to tell: more text changes nothing.
 */
export function isSentenceSeam(before: string, after: string): boolean {
  return /[.!?:…]["'»”’)\]]{0,3}$/.test(before.slice(-4)) && /^[\p{Lu}#>|-]/u.test(after.charAt(0));
}
