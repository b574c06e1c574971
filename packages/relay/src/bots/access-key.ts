/** @see https://creator.poe.com/docs/server-bots — Poe's access keys have 32 characters. */
export const ACCESS_KEY_LENGTH = 32;

/** What keeps `key` from being an access key, with the cure; `undefined` when nothing does. Pure. */
export function findAccessKeyProblem(key: string): string | undefined {
  const cure = "copy the whole key from the bot's settings, and nothing else";
  if (key.length !== ACCESS_KEY_LENGTH) {
    return `an access key has ${ACCESS_KEY_LENGTH} characters and this one has ${key.length}; ${cure}`;
  }
  // It is sent in a header: what does not fit there could never match.
  if (!/^[\u0021-\u007e]*$/.test(key)) {
    return `an access key has visible ASCII characters only and this one has a space or another character; ${cure}`;
  }
  return undefined;
}
