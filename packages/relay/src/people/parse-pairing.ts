/** The code in a message such as `!pair 482-913`; `undefined` when it is another message. Pure. */
export function parsePairing(text: string): string | undefined {
  return /^[!./]pair\s+(\d{3})[-\s]?(\d{3})$/i.exec(text.trim())?.slice(1).join("");
}
