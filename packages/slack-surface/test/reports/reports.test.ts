import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { library } from "./library.ts";
import { platform } from "./platform.ts";
import type { Report } from "./report.ts";

const reports: readonly Report[] = [...platform, ...library];

const root = new URL("../../../../", import.meta.url);

/** A text in front of a function, with or without settings between them: so stand titles, and hardly anything else. */
const title = /"((?:[^"\\]|\\.)+)",\s*(?:\{[^{}]*\},\s*)?(?:async\s*)?(?:\(|\w+\s*=>)/g;

/** Titles of tests of the surface, of its app, and of what both stand on. */
const titles: ReadonlySet<string> = new Set(
  globSync("{packages/{slack-surface,relay,router},apps/slack-relay}/test/**/*.test.ts", {
    cwd: root,
  }).flatMap((file) =>
    [...readFileSync(new URL(file, root), "utf8").matchAll(title)].map(
      ([, text = ""]) => JSON.parse(`"${text}"`) as string,
    ),
  ),
);

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

/** Requirements that the router's own list leaves to Slack. */
const leftToSlack = globSync("packages/router/test/requirements/*.ts", { cwd: root })
  .map((file) => readFileSync(new URL(file, root), "utf8"))
  .flatMap((source) =>
    [...source.matchAll(/\[\s*"([^"]+)",\s*"slack",/g)].map(([, id = ""]) => id),
  );

const open: readonly string[] = [];

test("every report has a row, and none has two", () => {
  expect(leftToSlack.length).toBeGreaterThan(40);
  const wanted = [
    ...numbered("slack-7-", 22),
    ...["pause", "timeout", "retry", "options", "streamer", "reconnect"].map(
      (each) => `library-${each}`,
    ),
    ...leftToSlack,
  ];
  expect([...reports.map(([id]) => id), ...open].sort()).toEqual(wanted.sort());
});

test("every report says what must hold, and every test that it names is there", () => {
  const missing = reports.flatMap(([id, says, ...named]) => {
    expect(says, id).toMatch(/^[A-Z].*\.$/);
    return named.filter((one) => !titles.has(one)).map((one) => `${id}: no test "${one}"`);
  });
  expect(missing).toEqual([]);
});
