import { expect, test } from "vitest";
import { formatSpeaker } from "../../src/intake/format-speaker.ts";

test.each([
  ["ana", "ana (U0ANA)"],
  // Two people of one name are told apart, and a name that looks like an id is none.
  ["U0BOB", "U0BOB (U0ANA)"],
  [undefined, "U0ANA"],
  ["", "U0ANA"],
  ["n".repeat(51), `${"n".repeat(50)} (U0ANA)`],
])("somebody called %j is spoken of as %j", (name, spoken) => {
  expect(formatSpeaker("U0ANA", name)).toBe(spoken);
});
