import fc from "fast-check";

/** What a renderer looks at, among ordinary letters. */
const piece = fc.constantFrom(
  ..."-`~!\\[]()>#*_|<&: \t\n1.axU@".split(""),
  ...["\r\n", "\n\n", "- ", "1. ", "```", "```ts\n", "~~~~", "> ```", "![", "](", "](u)"],
  ...["](https://e.example)", "[b.example](https://e.example)", "javascript:x", "| - |\n", "<a>"],
  ...[
    "<!",
    "here",
    "<@U1",
    "<https://e.example>",
    "<!--",
    "-->",
    "[ ] ",
    "👨‍👩‍👧",
    "\uD83D",
    "重点",
  ],
);
/** Pieces of a text. */
export const anyPieces = fc.array(piece, { maxLength: 14 });
