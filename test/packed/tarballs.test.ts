import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importsOf, packageOf } from "../architecture/source.ts";
import { tarballOf } from "./project.ts";
import { publishedFolders } from "./published.ts";
import { run } from "./run.ts";

const always = ["LICENSE", "README.md", "package.json"];
const source = /^src\/((?:[a-z0-9-]+\/)*[a-z0-9-]+)\.ts$/;

describe.each(publishedFolders)("the tarball of %s", (folder) => {
  let directory: string;
  let files: string[];
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "acp-kit-tarball-"));
    await run("tar", ["-xzf", tarballOf(folder), "-C", directory]);
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    files = entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(`${directory}/package`, `${entry.parentPath}/${entry.name}`));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const read = (file: string) => readFile(path.join(directory, "package", file), "utf8");

  test("holds README, licence, sources with their declarations, what the snapshot lists, and no more", () => {
    const declarations = files.flatMap((file) => {
      const name = folder.startsWith("packages/") && source.exec(file)?.[1];
      return name ? [`dist/${name}.d.ts`, `dist/${name}.d.ts.map`] : [];
    });
    const expected = [...always, ...declarations];
    expect(files).toEqual(expect.arrayContaining(expected));
    const others = files
      .filter((file) => !source.test(file) && !expected.includes(file))
      // What two entries share is named after its content.
      .map((file) => file.replace(/-[A-Z0-9]{8}\.js/, "-HASH.js"))
      .sort();
    expect(`${[...new Set(others)].join("\n")}\n`).toMatchSnapshot();
  });

  test("has a manifest that means the same outside of the workspace", async () => {
    const { scripts: _, ...manifest } = JSON.parse(await read("package.json"));
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|@acp-kit\/source/);
  });

  test("depends on all that its code and its declarations import", async () => {
    const { name, dependencies, peerDependencies } = JSON.parse(await read("package.json"));
    const known = [name, ...Object.keys({ ...dependencies, ...peerDependencies })];
    for (const file of files.filter((file) => /^dist\/.*\.(js|d\.ts)$/.test(file))) {
      const imported = importsOf(file, await read(file))
        .filter(({ specifier }) => !isBuiltin(specifier))
        .flatMap(({ specifier }) => packageOf(specifier) ?? []);
      expect(known, file).toEqual(expect.arrayContaining(imported));
    }
  });
});
