import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { field } from "./field.ts";
import { library } from "./library.ts";
import { platform } from "./platform.ts";
import { relays } from "./relays.ts";
import type { Report } from "./report.ts";

const reports: readonly Report[] = [...platform, ...library, ...field, ...relays];

const root = new URL("../../../../", import.meta.url);

/** A text in front of a function, with or without settings between them: so stand titles, and hardly anything else. */
const title = /"((?:[^"\\]|\\.)+)",\s*(?:\{[^{}]*\},\s*)?(?:async\s*)?(?:\(|\w+\s*=>)/g;

/** Titles of tests of the surface, of its app, and of what both stand on. */
const titles = globSync(
  "{packages/{slack-surface,testkit,relay,router},apps/slack-relay}/test/**/*.test.ts",
  { cwd: root },
).flatMap((file) =>
  [...readFileSync(new URL(file, root), "utf8").matchAll(title)].map(
    ([, text = ""]) => JSON.parse(`"${text}"`) as string,
  ),
);

type Vector = { readonly id: string; readonly dialect: "markdown" | "mrkdwn" | "any" };

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL("apps/slack-relay/test/vectors/markdown-slack.json", root), "utf8"),
);

/** Each vector stands for the tests of it, in each of its dialects. */
const shown: ReadonlySet<string> = new Set([
  ...titles,
  ...vectors.cases.flatMap(({ id, dialect }) =>
    (dialect === "any" ? ["markdown", "mrkdwn"] : [dialect]).map((each) => `${id} as ${each}`),
  ),
]);

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

/** Requirements that the router's own list leaves to Slack. */
const leftToSlack = globSync("packages/router/test/requirements/*.ts", { cwd: root })
  .map((file) => readFileSync(new URL(file, root), "utf8"))
  .flatMap((source) =>
    [...source.matchAll(/\[\s*"([^"]+)",\s*"slack",/g)].map(([, id = ""]) => id),
  );

test("every report has a row, and none has two", () => {
  expect(leftToSlack.length).toBeGreaterThan(40);
  const wanted = [
    ...numbered("slack-7-", 22),
    ...["pause", "timeout", "retry", "options", "streamer", "reconnect", "authorize"].map(
      (each) => `library-${each}`,
    ),
    ...leftToSlack,
  ];
  expect(reports.map(([id]) => id).sort()).toEqual(wanted.sort());
});

test("every report says what must hold, and every test that it names is there", () => {
  const missing = reports.flatMap(([id, says, ...named]) => {
    expect(says, id).toMatch(/^[A-Z].*\.$/);
    return named.filter((one) => !shown.has(one)).map((one) => `${id}: no test "${one}"`);
  });
  expect(missing).toEqual([]);
});
