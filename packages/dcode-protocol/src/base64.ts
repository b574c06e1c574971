/**
 * Whether the daemon will decode this: the standard alphabet, padded, line breaks ignored and nothing
 * else. Node's own decoder takes much more.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-4
 */
export function isBase64(text: string): boolean {
  const packed = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, "") : text;
  if (packed.length % 4 !== 0) return false;
  let end = packed.length;
  if (packed.endsWith("==")) end -= 2;
  else if (packed.endsWith("=")) end -= 1;
  // One negated class: it neither backtracks nor recurses, whatever the size of the picture.
  return !/[^A-Za-z0-9+/]/.test(packed.slice(0, end));
}
