/** An object from outside, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

/** A text without lone surrogates: they are no characters, and each reader would make something else of them. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? wellFormed(value) : undefined;
}

export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, "");
}

/** The members of a list that are objects; an empty list for anything else. */
export function asFieldsList(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return [];
  return value.map(asFields).filter((item) => item !== undefined);
}
