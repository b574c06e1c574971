import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./run.ts";

/** What of a package.json the checks of tarballs look at. */
export type Manifest = {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
};

/** Name of each published package by its folder, such as `packages/router`. */
const published: ReadonlyMap<string, Manifest> = new Map(
  globSync("{packages,apps}/*/package.json", { cwd: root })
    .map((file): [string, Manifest] => {
      const text = readFileSync(path.join(root, file), "utf8");
      return [path.dirname(file), JSON.parse(text)];
    })
    .filter(([, manifest]) => !manifest.private)
    .sort(([one], [other]) => (one < other ? -1 : 1)),
);

export const publishedFolders: readonly string[] = [...published.keys()];

/** A published folder and those of all workspace packages that it needs when it runs. */
export function withDependencies(folder: string): readonly string[] {
  const found = new Set([folder]);
  // A set also visits what is added on the way.
  for (const one of found) {
    for (const name of Object.keys(published.get(one)?.dependencies ?? {})) {
      for (const [other, manifest] of published) if (manifest.name === name) found.add(other);
    }
  }
  return [...found];
}
