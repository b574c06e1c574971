/**
 * Every character that a reader could not see, or that changes the order of others, as its code point. Line breaks and
 * tabs stay.
 */
export function showInvisible(text: string): string {
  return text.replace(
    /[^\P{Z} ]|[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
