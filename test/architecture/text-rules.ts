import type { Node } from "oxc-parser";
import { type Files, filesIn, lineAt, type Rule } from "./rule.ts";
import { memberName, nameOf, parseSource, walk } from "./source.ts";

/** Finds a pattern in the path and the text of files. */
function findText(files: Files, paths: RegExp, pattern: RegExp): string[] {
  return filesIn(files, paths).flatMap(([file, text]) => [
    ...(pattern.exec(file) ?? []).slice(0, 1).map((match) => `${file}: is named "${match}"`),
    ...[...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
      (match) => `${file}:${lineAt(text, match.index)}: says "${match[0]}"`,
    ),
  ]);
}

const routerKnowsNoPlatform: Rule = {
  title: "the router's sources name no chat platform and no framework",
  // "hono" is not meant in "honour".
  find: (files) =>
    findText(files, /^packages\/router\/src\//, /poe(?!m|t)|slack|hono(?!u?r)|bolt|discord/i),
  bad: [
    { "packages/router/src/a.ts": "export const poeKey = 1;" },
    { "packages/router/src/a.ts": "export const maxSlackParts = 1;" },
    { "packages/router/src/a.ts": "// as Hono does" },
    { "packages/router/src/a.ts": "export type DISCORD_ID = 1;" },
    { "packages/router/src/bolt.ts": "" },
  ],
  fine: [
    { "packages/router/src/a.ts": "// honours the poem" },
    { "packages/router/test/a.test.ts": "// slack" },
  ],
};

const workplace = ["", "work", "shared"].join("/");
const registryHost = ["registry", "npmjs", "org"].join(".");

const nothingNamesAWorkplace: Rule = {
  title:
    "no file names a path of the machine that it was written on, or the host of a package registry",
  find: (files) =>
    findText(
      files,
      /./,
      /(?<![\w.~-])\/work\/|\bregistry\.[a-z0-9-]+\.[a-z]{2,}|\b(?:npm\.pkg\.github|pypi)\.[a-z]{2,}|_auth[T]oken|\bregistry\s*=/,
    ),
  bad: [
    { "README.md": `see ${workplace}/design.md` },
    { "packages/router/test/a.test.ts": `const seeds = "${workplace}";` },
    { "pnpm-lock.yaml": `tarball: https://${registryHost}/a.tgz` },
    { ".npmrc": ["registry", "http://localhost/"].join("=") },
  ],
  fine: [{ "README.md": "see /home/ada/work/repo, work/shared and the registry." }],
};

const tests = /\.test\.[cm]?tsx?$/;
const withheld = new Set(["only", "skip", "skipIf", "runIf", "todo"]);
const runners = new Set(["bench", "describe", "it", "suite", "test"]);

const everyTestRuns: Rule = {
  title: "no test is skipped, left for later, or run alone",
  find: (files) =>
    filesIn(files, tests).flatMap(([file, text]) => {
      const found: string[] = [];
      walk(parseSource(file, text), (node) => {
        const what = withheldBy(node);
        if (what) found.push(`${file}:${lineAt(text, node.start)}: ${what}`);
      });
      return found;
    }),
  bad: [
    { "packages/router/test/a.test.ts": "test.skip('a', () => {});" },
    { "packages/router/test/a.test.ts": "describe.only('a', () => {});" },
    { "packages/router/test/a.test.ts": "it.todo('a');" },
    { "packages/router/test/a.test.ts": "test.concurrent.only.each([1])('a', () => {});" },
    { "packages/router/test/a.test.ts": "test.skipIf(true)('a', () => {});" },
    { "packages/router/test/a.test.ts": "test('a', { skip: true }, () => {});" },
    { "packages/router/test/a.test.ts": "test('a', (context) => context.skip());" },
    { "packages/router/test/a.test.ts": "test('a', ({ skip }) => skip());" },
    { "packages/router/test/a.test.ts": "xit('a', () => {});" },
  ],
  fine: [
    { "packages/router/test/a.test.ts": "test('.skip, .only and .todo', () => { only(1); });" },
    { "packages/router/test/a.test.ts": "test('a', { timeout: 1 }, () => read({ skip: 1 }));" },
  ],
};

/** How a node keeps a test from running, if it does. */
function withheldBy(node: Node): string | undefined {
  const member = memberName(node);
  if (member !== undefined && withheld.has(member)) return `.${member}`;
  if (node.type === "ObjectPattern") {
    const taken = node.properties.flatMap((one) =>
      one.type === "Property" ? [nameOf(one.key)] : [],
    );
    return taken.find((name) => withheld.has(name));
  }
  if (node.type !== "CallExpression") return undefined;
  if (/^(?:[xf](?:it|test|describe))$/.test(nameOf(node.callee))) return nameOf(node.callee);
  if (!runners.has(nameOf(rootOf(node.callee)))) return undefined;
  return node.arguments
    .flatMap((one) => (one.type === "ObjectExpression" ? one.properties : []))
    .flatMap((one) => (one.type === "Property" ? [nameOf(one.key)] : []))
    .find((name) => withheld.has(name));
}

/** `test` of `test.concurrent.each([1])`. */
function rootOf(callee: Node): Node {
  if (callee.type === "MemberExpression") return rootOf(callee.object);
  return callee.type === "CallExpression" ? rootOf(callee.callee) : callee;
}

export const textRules: readonly Rule[] = [
  routerKnowsNoPlatform,
  nothingNamesAWorkplace,
  everyTestRuns,
];
