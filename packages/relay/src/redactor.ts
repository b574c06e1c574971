/** A shorter value would blank out ordinary words, and guards nothing that a guess would not find. */
export const MIN_SECRET_LENGTH = 8;

const REPLACEMENT = "[redacted]";

/** Knows the secret values of this process and takes them out of text. */
export class Redactor {
  /** Each secret as it stands in plain text and inside a JSON string, longest first: one may contain another. */
  #needles: string[] = [];

  /** From now on `secret` is replaced wherever it occurs. Values under {@link MIN_SECRET_LENGTH} characters are ignored. */
  add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    const needles = new Set([...this.#needles, secret, JSON.stringify(secret).slice(1, -1)]);
    this.#needles = [...needles].sort((a, b) => b.length - a.length);
  }

  redact(text: string): string {
    let redacted = text;
    for (const needle of this.#needles) redacted = redacted.replaceAll(needle, REPLACEMENT);
    return redacted;
  }
}
