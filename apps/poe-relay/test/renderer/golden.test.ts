import { describe, expect, test } from "vitest";
import { shownTurns } from "../../../../packages/router/test/shown-turns.ts";
import { renderer } from "../../src/renderer/index.ts";
import { fold, showUsual } from "./fold.ts";

describe("what a phone shows", () => {
  test.each(shownTurns)("$name", async ({ name, events, show = showUsual, after = 0 }) => {
    const view = fold(...events);
    const { parts, tail } = renderer.render(view, { show, now: after * 1_000 });
    const message = [...parts, ...(tail === undefined ? [] : [tail])]
      .filter((part) => part !== "")
      .join("\n\n");
    await expect(`${message}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});
