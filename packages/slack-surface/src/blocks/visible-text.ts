/** On one line, and no longer than `maxCodePoints`. */
export function shorten(text: string, maxCodePoints: number): string {
  const points = [...text.replaceAll(/\s+/g, " ").trim()];
  return points.length <= maxCodePoints
    ? points.join("")
    : `${points.slice(0, maxCodePoints - 1).join("")}…`;
}

/** Pieces that join to the text, where they can each ending with a line. */
export function cutLines(text: string, maxCodePoints: number): readonly string[] {
  const points = [...text];
  const pieces: string[] = [];
  for (let from = 0; from < points.length; ) {
    const rest = points.length - from;
    const lineEnd = points.lastIndexOf("\n", from + maxCodePoints - 1);
    const to = rest <= maxCodePoints || lineEnd < from ? from + maxCodePoints : lineEnd + 1;
    pieces.push(points.slice(from, to).join(""));
    from = to;
  }
  return pieces;
}
