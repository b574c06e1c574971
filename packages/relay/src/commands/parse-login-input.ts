/** What an address of the end of a login carries; see RFC 6749 §4.1.2 and §4.2.2. */
const carried = /[?&#](?:code|state|access_token|id_token|token|error)=/i;

/** A code that people copy from a page: long and with a digit, or in two groups of capitals. */
const codes = /^(?:(?=\S*\d)[\w.~+/=#%&-]{20,}|[A-Z0-9]{4}-[A-Z0-9]{4})$/;

/**
 * What a login waits for, if a message holds it: an address to which a login leads, or a code that stands alone. Anything
 * else is an ordinary message. Pure.
 *
 * @param redirect - Where the browser is sent in the end, without query; may be empty.
 */
export function parseLoginInput(text: string, redirect: string): string | undefined {
  const words = wordsOf(text);
  const address = findRedirect(text, redirect) ?? words.find((word) => carried.test(word));
  if (address !== undefined) return address;
  const [only, second] = words;
  return only !== undefined && second === undefined && codes.test(only) ? only : undefined;
}

/** The address to which a login leads, if a message holds it. Pure. */
export function findRedirect(text: string, redirect: string): string | undefined {
  if (redirect === "") return undefined;
  return wordsOf(text).find((word) => withoutQuery(word) === redirect);
}

/** The words of a message that could have been pasted for a login. Pure. */
export function parseSecretWords(text: string): readonly string[] {
  return wordsOf(text).filter(
    (word) => /^[a-z][\w+.-]*:\/\//i.test(word) || carried.test(word) || codes.test(word),
  );
}

/** The words of a message without what chat puts around an address. */
function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s\u200b\u2060\ufeff]+/u)
    .map((word) => word.replace(/^[<("'`\u2018-\u201f]+|[>)"'`\u2018-\u201f,]+$/gu, ""))
    .filter((word) => word !== "");
}

/** Where an address of a login sends the browser in the end, as its own parameter says; empty where it does not. */
export function parseRedirect(url: string): string {
  const redirect = URL.parse(url)?.searchParams.get("redirect_uri");
  return redirect ? withoutQuery(redirect) : "";
}

function withoutQuery(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.protocol}//${parsed.host}${parsed.pathname}` : "";
}
