import fc from "fast-check";
import { anyDisplay, anyTurnOf } from "../../../../packages/router/test/any-turn.ts";

export { anyDisplay };

/** What a renderer looks at, whole and in parts, among ordinary characters. */
const piece = fc.constantFrom(
  ..."-`~!\\[]()>#*_|<&$ \t\n1.".split(""),
  ..."aemo_x".split(""),
  ...[
    "--",
    "--model",
    "--model_",
    "thinking",
    "show_tools",
    "`--model`",
    "\r\n",
    "\n\n",
    "- ",
    "1. ",
  ],
  ...["```", "```ts\n", "~~~~", "> ```", "- ```\n", "![", "](u)", "❓", "\uFE0F", "参数", "<!--"],
  ...["🌲", "\uD83C", "\uDF32", "\u202E"],
);

export const markdown = fc.array(piece, { minLength: 1, maxLength: 8 }).map((all) => all.join(""));

/** A turn from its start to its end. */
export const anyTurn = anyTurnOf(markdown);
