import { isBuiltin } from "node:module";
import path from "node:path";
import { type Arrow, arrows, bound, isOneOf } from "./arrows.ts";
import { findCycles } from "./find-cycles.ts";
import { type Files, filesIn, folderOf, lineAt, type Rule, sources } from "./rule.ts";
import { importsOf, packageOf } from "./source.ts";

const manifests = /^(packages|apps)\/[^/]+\/package\.json$/;
const runtimeFields = ["dependencies", "peerDependencies", "optionalDependencies"] as const;
const allFields = [...runtimeFields, "devDependencies"] as const;

type Manifest = { name: string } & Partial<
  Record<(typeof allFields)[number], Record<string, string>>
>;

function readManifests(files: Files): [folder: string, manifest: Manifest][] {
  return filesIn(files, manifests).map(([file, text]) => [path.dirname(file), JSON.parse(text)]);
}

function dependenciesOf(
  manifest: Manifest,
  fields: readonly (typeof allFields)[number][],
): string[] {
  return fields.flatMap((field) => Object.keys(manifest[field] ?? {}));
}

/** What one source may import, its export's own additions included. */
function allowedFor(file: string, arrow: Arrow): string[] {
  const additions = Object.entries(arrow.exports ?? {})
    .filter(([name]) => new RegExp(`/src/${name}(\\.ts$|/)`).test(file))
    .flatMap(([, names]) => names);
  return [...arrow.imports, ...additions];
}

function isAllowed(name: string, allowed: readonly string[], arrow: Arrow): boolean {
  return isOneOf(name, allowed) || !(arrow.closed || isOneOf(name, bound));
}

const everyFolderHasARow: Rule = {
  title: "every package and app has a row in the table of arrows",
  find: (files) =>
    readManifests(files)
      .map(([folder]) => folder)
      .filter((folder) => !(folder in arrows))
      .map((folder) => `${folder}: has no row in the table of arrows`),
  bad: [{ "packages/extra/package.json": "{}" }],
  fine: [{ "packages/router/package.json": "{}" }],
};

const importsFollowTheArrows: Rule = {
  title: "a source imports only what the table of arrows lists",
  find: (files) =>
    filesIn(files, sources).flatMap(([file, text]) => {
      const arrow = arrows[folderOf(file) ?? ""] ?? { imports: [] };
      const allowed = allowedFor(file, arrow);
      const isWrong = (specifier: string) => {
        if (specifier === "") return true;
        if (isBuiltin(specifier)) return arrow.anyRuntime === true;
        const name = packageOf(specifier);
        return name !== undefined && !isAllowed(name, allowed, arrow);
      };
      return importsOf(file, text)
        .filter(({ specifier }) => isWrong(specifier))
        .map(({ specifier, start }) => `${file}:${lineAt(text, start)}: imports "${specifier}"`);
    }),
  bad: [
    { "packages/router/src/a.ts": 'import { relay } from "@acp-kit/relay";' },
    { "packages/router/src/a.ts": 'import type { Relay } from "@acp-kit/relay/config";' },
    { "packages/router/src/a.ts": 'export { poeRelay } from "@acp-kit/poe-relay";' },
    { "packages/relay/src/a.ts": 'await import("@acp-kit/poe-surface");' },
    { "packages/relay/src/a.ts": 'type Poe = import("@acp-kit/poe-surface").Poe;' },
    { "packages/relay/src/a.ts": "await import(`@acp-kit/$" + "{name}`);" },
    { "packages/relay/src/a.ts": 'import { App } from "@slack/bolt";' },
    { "packages/demo-agent/src/a.ts": 'import { serve } from "@hono/node-server";' },
    { "packages/router/src/a.ts": 'import { request } from "undici";' },
    { "packages/acp-wire/src/index.ts": 'import { z } from "zod";' },
    { "packages/acp-wire/src/schemas.ts": 'import { z } from "zod";' },
    { "packages/acp-wire/src/schema.ts": 'import "@agentclientprotocol/sdk";' },
    { "packages/statusline/src/a.ts": 'import path from "node:path";' },
    { "apps/poe-relay/src/main.ts": 'import { Hono } from "hono";' },
    { "packages/testkit/src/a.ts": 'import router = require("@acp-kit/router");' },
  ],
  fine: [
    { "packages/router/src/a.ts": 'import { Conn } from "@acp-kit/acp-wire"; import "node:fs";' },
    { "packages/router/src/attachments/fetch.ts": 'import { request } from "undici";' },
    { "packages/acp-wire/src/schema.ts": 'import { z } from "zod/v4";' },
    { "packages/relay/src/a.ts": 'import { serve } from "@hono/node-server"; import "pino";' },
    { "packages/statusline/src/a.ts": 'import { b } from "./b.ts";' },
    { "packages/router/test/a.test.ts": 'import { z } from "zod";' },
    { "apps/poe-relay/src/main.ts": 'import { relay } from "@acp-kit/relay";' },
  ],
};

const manifestsFollowTheArrows: Rule = {
  title: "a package depends only on what the table of arrows lists",
  find: (files) =>
    readManifests(files).flatMap(([folder, manifest]) => {
      const arrow = arrows[folder] ?? { imports: [] };
      const allowed = [...arrow.imports, ...Object.values(arrow.exports ?? {}).flat()];
      return dependenciesOf(manifest, runtimeFields)
        .filter((name) => !isAllowed(name, allowed, arrow))
        .map((name) => `${folder}/package.json: depends on ${name}`);
    }),
  bad: [
    { "packages/router/package.json": '{"dependencies":{"@acp-kit/relay":"workspace:*"}}' },
    { "packages/statusline/package.json": '{"peerDependencies":{"zod":"4"}}' },
    { "packages/relay/package.json": '{"optionalDependencies":{"@slack/bolt":"5"}}' },
  ],
  fine: [
    { "packages/router/package.json": '{"dependencies":{"undici":"8"}}' },
    { "packages/router/package.json": '{"devDependencies":{"@acp-kit/poe-protocol":"*"}}' },
    { "packages/relay/package.json": '{"dependencies":{"pino":"10","hono":"4"}}' },
  ],
};

const sourcesStayInTheirFolder: Rule = {
  title: "a source imports by path only from its own src folder",
  find: (files) =>
    filesIn(files, sources).flatMap(([file, text]) =>
      importsOf(file, text)
        .filter(({ specifier }) => /^[./]/.test(specifier))
        .filter(({ specifier }) => {
          const target = path.posix.join(path.posix.dirname(file), specifier);
          return specifier.startsWith("/") || !target.startsWith(`${folderOf(file)}/src/`);
        })
        .map(({ specifier, start }) => `${file}:${lineAt(text, start)}: imports "${specifier}"`),
    ),
  bad: [
    { "packages/relay/src/a.ts": 'import { main } from "../../../apps/poe-relay/src/main.ts";' },
    { "packages/relay/src/cli/a.ts": 'import { b } from "../../../router/src/b.ts";' },
    { "packages/relay/src/a.ts": 'import { b } from "../test/b.ts";' },
  ],
  fine: [{ "packages/relay/src/cli/a.ts": 'import { b } from "../b.ts";' }],
};

const noCyclesOfPackages: Rule = {
  title: "packages do not depend on each other in a circle, not even for tests",
  find: (files) =>
    findCycles(
      new Map(
        readManifests(files).map(([, manifest]) => [
          manifest.name,
          dependenciesOf(manifest, allFields),
        ]),
      ),
    ),
  bad: [
    {
      "packages/a/package.json": '{"name":"a","dependencies":{"b":"*"}}',
      "packages/b/package.json": '{"name":"b","dependencies":{"c":"*"}}',
      "packages/c/package.json": '{"name":"c","devDependencies":{"a":"*"}}',
    },
  ],
  fine: [
    {
      "packages/a/package.json": '{"name":"a","dependencies":{"b":"*","c":"*"}}',
      "packages/b/package.json": '{"name":"b","dependencies":{"c":"*"}}',
      "packages/c/package.json": '{"name":"c"}',
    },
  ],
};

const noCyclesOfSources: Rule = {
  title: "sources do not import each other in a circle",
  find: (files) =>
    findCycles(
      new Map(filesIn(files, sources).map(([file, text]) => [file, relativeImports(file, text)])),
    ),
  bad: [
    {
      "packages/a/src/a.ts": 'import { b } from "./b.ts";',
      "packages/a/src/b.ts": 'export { a } from "./a.ts";',
    },
  ],
  fine: [
    {
      "packages/a/src/a.ts": 'import { b } from "./b.ts";',
      "packages/a/src/b.ts": 'import type { A } from "./a.ts";',
    },
  ],
};

/** The files of the same package that a source needs when it runs. */
export function relativeImports(file: string, text: string): string[] {
  return importsOf(file, text)
    .filter(({ specifier, typeOnly }) => specifier.startsWith(".") && !typeOnly)
    .map(({ specifier }) => path.posix.join(path.posix.dirname(file), specifier));
}

export const importRules: readonly Rule[] = [
  everyFolderHasARow,
  importsFollowTheArrows,
  manifestsFollowTheArrows,
  sourcesStayInTheirFolder,
  noCyclesOfPackages,
  noCyclesOfSources,
];
