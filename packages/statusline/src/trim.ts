// Unicode White_Space, which is what Go trims: JavaScript's own set less U+FEFF, and U+0085 besides.
// All of it lies in the BMP, so single UTF-16 units can be tested.
const whiteSpace = /(?!\uFEFF)[\s\x85]/;

/** `text` without white space at either end. Two loops, since `/\s+$/` takes quadratic time on long inner gaps. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1;
  while (start < end && whiteSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
