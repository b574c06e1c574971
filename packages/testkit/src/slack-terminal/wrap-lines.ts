const narrow = /^[\u0020-\u036f]$/u;
const hidden = /^(?:\p{M}|\p{Default_Ignorable_Code_Point})$/u;

/** Columns of a text. Whatever a terminal may show in two of them counts as two, so that no line is ever longer. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (!hidden.test(character)) columns += narrow.test(character) ? 1 : 2;
  }
  return columns;
}

/** Breaks lines so that none needs more columns than there are. */
export function wrapLines(lines: readonly string[], columns: number): readonly string[] {
  return lines.flatMap((line) => {
    const parts: string[] = [];
    let part = "";
    let used = 0;
    for (const character of line) {
      const width = columnsOf(character);
      if (used + width > columns && part !== "") {
        parts.push(part);
        part = "";
        used = 0;
      }
      part += character;
      used += width;
    }
    return [...parts, part];
  });
}
