import { type Arrow, arrows, bound } from "./arrows.ts";

type Override = { includes: string[]; linter: unknown };

/** The table of arrows as a configuration for Biome, so that an editor says at once what the tests say later. */
export function biomeArrows(): { overrides: Override[] } {
  const overrides = Object.entries(arrows).flatMap(([folder, arrow]) => [
    override(folder, ["src/**"], groupOf(arrow, [])),
    ...Object.entries(arrow.exports ?? {}).map(([name, more]) =>
      override(folder, [`src/${name}.ts`, `src/${name}/**`], groupOf(arrow, more)),
    ),
  ]);
  return { overrides };
}

/** What may not be imported, in the manner of a gitignore file: what a `!` names is let through again. */
function groupOf(arrow: Arrow, more: readonly string[]): string[] {
  const forbidden = arrow.closed ? ["**"] : bound.flatMap(withSubpaths);
  const paths = arrow.closed ? ["./**", "../**"] : [];
  const modules = arrow.closed && !arrow.anyRuntime ? withSubpaths("node:*") : [];
  const packages = [...arrow.imports, ...more].flatMap(withSubpaths);
  return [...forbidden, ...[...paths, ...modules, ...packages].map((pattern) => `!${pattern}`)];
}

function withSubpaths(name: string): string[] {
  return [name, `${name}/**`];
}

function override(folder: string, paths: string[], group: string[]): Override {
  const message = `Not among the arrows of ${folder}, see test/architecture/arrows.ts.`;
  const noRestrictedImports = { level: "error", options: { patterns: [{ group, message }] } };
  return {
    includes: paths.map((path) => `${folder}/${path}`),
    linter: { rules: { style: { noRestrictedImports } } },
  };
}
