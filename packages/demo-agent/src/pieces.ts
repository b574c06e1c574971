/** `text` in pieces of `size` code points; a surrogate pair is never cut. Together they are `text`. */
export function splitIntoPieces(text: string, size: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let count = 0;
  for (const codePoint of text) {
    piece += codePoint;
    count += 1;
    if (count < size) continue;
    pieces.push(piece);
    piece = "";
    count = 0;
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}
