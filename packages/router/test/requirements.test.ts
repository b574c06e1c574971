import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { baseline } from "./requirements/baseline.ts";
import { defects } from "./requirements/defects.ts";
import { field } from "./requirements/field.ts";
import type { Requirement } from "./requirements/requirement.ts";
import { slack } from "./requirements/slack.ts";

const requirements: readonly Requirement[] = [...baseline, ...defects, ...slack, ...field];

const here = new URL(".", import.meta.url);

/** A text in front of a function, with or without settings between them: so stand titles, and hardly anything else. */
const title = /"((?:[^"\\]|\\.)+)",\s*(?:\{[^{}]*\},\s*)?(?:async\s*)?(?:\(|\w+\s*=>)/g;

/** What a table adds to its title for each row. */
const perRow = /: [%$]\S+$/;

/** Titles of the tests of this package, as they stand in the sources. */
const titles: ReadonlySet<string> = new Set(
  globSync("**/*.ts", { cwd: here })
    .filter((file) => !file.startsWith("requirements"))
    .flatMap((file) => [...readFileSync(new URL(file, here), "utf8").matchAll(title)])
    .map(([, text = ""]) => (JSON.parse(`"${text}"`) as string).replace(perRow, "")),
);

const ids = (prefix: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);

test("every requirement has a row, and none has two", () => {
  expect(requirements.map(([id]) => id)).toEqual([
    ...ids("9.1-", 1, 64),
    ...ids("9.2-", 65, 84),
    ...ids("D", 1, 36),
    ...ids("slack-4.1-", 1, 31),
    ...ids("slack-4.2-", 1, 17),
    ...ids("slack-4.3-", 1, 17),
    ...ids("slack-4.4-", 1, 5),
    ...ids("field-A-", 1, 11),
    ...ids("field-B-", 12, 17),
    ...ids("field-C-", 18, 23),
    ...ids("field-D-", 24, 30),
    ...ids("field-E-", 31, 33),
    ...ids("field-F-", 34, 41),
    ...ids("field-G-", 42, 48),
    ...ids("field-H-", 49, 57),
    ...ids("field-I-", 58, 61),
    ...ids("field-J-", 62, 63),
    ...ids("field-K-", 64, 71),
    ...ids("field-L-", 72, 74),
    ...ids("field-M-", 75, 79),
  ]);
});

test("every requirement of this package names tests, and every test that is named is there", () => {
  const missing = requirements.flatMap(([id, owner, says, ...named]) => {
    if (owner === "router" && named.length === 0) return [`${id}: ${says}`];
    return named.filter((one) => !titles.has(one)).map((one) => `${id}: no test "${one}"`);
  });
  expect(missing).toEqual([]);
});

test("whoever else owns a requirement is named with what must hold, or why nothing has to", () => {
  for (const [id, owner, says, ...named] of requirements) {
    expect(says, id).toMatch(/^[A-Z].*\.$/);
    if (owner !== "router") expect(named, id).toEqual([]);
  }
});
