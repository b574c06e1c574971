import type { Directive, Statement } from "oxc-parser";
import { type Files, filesIn, lineAt, type Rule, sources } from "./rule.ts";
import { parseSource } from "./source.ts";

const maxLines = 400;
const maxMainLines = 60;

/** Packages whose exports continue those of a Go package; `test/seed-names.ts` says how. */
const seeded = ["statusline", "router", "acp-wire", "dcode-protocol"];

function countLines(text: string): number {
  return text.trimEnd().split("\n").length;
}

const lines = (count: number) => "export {};\n".repeat(count);

const appsAreThin: Rule = {
  title: `an app's src holds only main.ts, of at most ${maxMainLines} lines, and renderer/`,
  find: (files) =>
    filesIn(files, /^apps\/[^/]+\/src\//).flatMap(([file, text]) => {
      const [, inside] = file.split("/src/", 2);
      if (inside === "main.ts") {
        const count = countLines(text);
        return count > maxMainLines ? [`${file}: ${count} lines`] : [];
      }
      return inside?.startsWith("renderer/") ? [] : [`${file}: is neither main.ts nor renderer`];
    }),
  bad: [
    { "apps/poe-relay/src/server.ts": "" },
    { "apps/poe-relay/src/data.json": "" },
    { "apps/poe-relay/src/renderers/line.ts": "" },
    { "apps/poe-relay/src/cli/main.ts": "" },
    { "apps/poe-relay/src/main.ts": lines(maxMainLines + 1) },
  ],
  fine: [
    {
      "apps/poe-relay/src/main.ts": lines(maxMainLines),
      "apps/poe-relay/src/renderer/parts/line.ts": "",
      "apps/poe-relay/test/server.ts": "",
    },
  ],
};

const filesAreShort: Rule = {
  title: `no source is longer than ${maxLines} lines`,
  find: (files) =>
    filesIn(files, sources)
      .filter(([, text]) => countLines(text) > maxLines)
      .map(([file, text]) => `${file}: ${countLines(text)} lines`),
  bad: [{ "packages/router/src/cli/a.ts": lines(maxLines + 1) }],
  fine: [{ "packages/router/src/a.ts": lines(maxLines), "packages/router/test/a.ts": lines(500) }],
};

const indexNamesEachExport: Rule = {
  title: "a package's index.ts names each export, taken from another file",
  find: (files) =>
    filesIn(files, /^packages\/[^/]+\/src\/index\.ts$/).flatMap(([file, text]) =>
      parseSource(file, text)
        .body.filter((statement) => !isNamedReexport(statement))
        .map((statement) => `${file}:${lineAt(text, statement.start)}: ${statement.type}`),
    ),
  bad: [
    { "packages/router/src/index.ts": 'export * from "./a.ts";' },
    { "packages/router/src/index.ts": 'export * as a from "./a.ts";' },
    { "packages/router/src/index.ts": 'export { a as default } from "./a.ts";' },
    { "packages/router/src/index.ts": "export const a = 1;" },
    { "packages/router/src/index.ts": 'import { a } from "./a.ts"; export { a };' },
    { "packages/router/src/index.ts": 'import "./a.ts";' },
    { "packages/router/src/index.ts": "export {};" },
  ],
  fine: [
    {
      "packages/router/src/index.ts":
        '// Why.\nexport { a, type B } from "./a.ts";\nexport type { C } from "./c.ts";',
    },
  ],
};

function isNamedReexport(statement: Directive | Statement): boolean {
  return (
    statement.type === "ExportNamedDeclaration" &&
    statement.source !== null &&
    statement.specifiers.every(
      ({ exported }) => exported.type === "Identifier" && exported.name !== "default",
    )
  );
}

const noDefaultExports: Rule = {
  title: "no source has a default export or passes on whole modules",
  find: (files) =>
    filesIn(files, sources).flatMap(([file, text]) =>
      parseSource(file, text)
        .body.filter(
          ({ type }) => type === "ExportDefaultDeclaration" || type === "ExportAllDeclaration",
        )
        .map((statement) => `${file}:${lineAt(text, statement.start)}: ${statement.type}`),
    ),
  bad: [
    { "packages/router/src/a.ts": "export default 1;" },
    { "packages/router/src/a.ts": 'export * from "./b.ts";' },
  ],
  fine: [{ "packages/router/vitest.config.ts": "export default {};" }],
};

const seedsAreAccountedFor: Rule = {
  title:
    "a package that continues a Go package says in test/seed-names.ts what became of each name",
  find: (files) =>
    seeded
      .filter((name) => hasIndex(files, name))
      .filter((name) => !hasBoth(files, name))
      .map((name) => `packages/${name}/test: no seed-names.ts with its test`),
  bad: [
    { "packages/router/src/index.ts": "" },
    { "packages/router/src/index.ts": "", "packages/router/test/seed-names.ts": "" },
    { "packages/acp-wire/src/index.ts": "", "packages/router/test/seed-names.ts": "" },
  ],
  fine: [
    { "packages/router/src/a.ts": "", "packages/relay/src/index.ts": "" },
    {
      "packages/router/src/index.ts": "",
      "packages/router/test/seed-names.ts": "",
      "packages/router/test/seed-names.test.ts": "",
    },
  ],
};

function hasIndex(files: Files, name: string): boolean {
  return files.has(`packages/${name}/src/index.ts`);
}

function hasBoth(files: Files, name: string): boolean {
  const test = `packages/${name}/test/seed-names`;
  return files.has(`${test}.ts`) && files.has(`${test}.test.ts`);
}

export const layoutRules: readonly Rule[] = [
  appsAreThin,
  filesAreShort,
  indexNamesEachExport,
  noDefaultExports,
  seedsAreAccountedFor,
];
