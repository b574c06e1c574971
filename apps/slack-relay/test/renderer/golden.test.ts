import { describe, expect, test } from "vitest";
import { shownTurns } from "../../../../packages/router/test/shown-turns.ts";
import { fold, showUsual } from "../../../../packages/router/test/turn-events.ts";
import { renderer } from "../../src/renderer/index.ts";

describe("what a thread shows", () => {
  test.each(shownTurns)("$name", async ({ name, events, show = showUsual, after = 0 }) => {
    const view = fold(...events);
    const { parts, tail } = renderer.render(view, { show, now: after * 1_000 });
    const cards = renderer.cards(view, show);
    const shown = [
      ...parts.map((part) => {
        if (part.kind === "text") return part.markdown;
        return part.kind === "file" ? `[file ${part.file.name}]` : `[question ${part.ask.title}]`;
      }),
      ...(tail?.kind === "text" ? [`[below]\n${tail.markdown}`] : []),
      ...(cards.length > 0
        ? [["[cards]", ...cards.map(({ status, title }) => `${status}: ${title}`)].join("\n")]
        : []),
    ];
    await expect(`${shown.join("\n\n")}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});
