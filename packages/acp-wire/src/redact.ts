/** Names of variables whose values are nobody's business. */
const SECRET_NAME = /key|token|secret|password|passwd|credential|auth/i;
/** Shorter values would blacken ordinary text. */
const MIN_LENGTH = 8;

/** A function that blackens the secrets of an environment in a line of text. Pure. */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    // A private key has several lines, and each is printed on its own.
    .flatMap(([, value = ""]) => value.split(/\r?\n/))
    .filter((value) => value.length >= MIN_LENGTH)
    // The longer first: one may be a part of another.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}
