/** The value of a JSON text; undefined, and no error that quotes the text, when it is none. */
export function parseJson(json: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}
