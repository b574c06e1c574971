import { describe, expect, test } from "vitest";
import { tarballOf } from "./project.ts";
import { publishedFolders } from "./published.ts";
import { run } from "./run.ts";

const always = ["LICENSE", "README.md", "package.json"];
const source = /^src\/((?:[a-z0-9-]+\/)*[a-z0-9-]+)\.ts$/;

describe.each(publishedFolders)("the tarball of %s", (folder) => {
  test("holds README, licence, sources with their declarations, what the snapshot lists, and no more", async () => {
    const listed = await run("tar", ["-tzf", tarballOf(folder)]);
    const files = listed
      .trimEnd()
      .split("\n")
      .map((file) => file.replace(/^package\//, ""));
    const isApp = folder.startsWith("apps/");
    const declarations = files.flatMap((file) => {
      const name = source.exec(file)?.[1];
      return name === undefined || isApp ? [] : [`dist/${name}.d.ts`, `dist/${name}.d.ts.map`];
    });
    const expected = [...always, ...declarations];
    expect(files).toEqual(expect.arrayContaining(expected));
    const others = files
      .filter((file) => !source.test(file) && !expected.includes(file))
      // What two entries share is named after its content.
      .map((file) => file.replace(/-[A-Z0-9]{8}\.js/, "-HASH.js"))
      .sort();
    expect(`${others.join("\n")}\n`).toMatchSnapshot();
  });

  test("has a manifest that means the same outside of the workspace", async () => {
    const manifest = await run("tar", ["-xzOf", tarballOf(folder), "package/package.json"]);
    expect(manifest).not.toMatch(/workspace:|catalog:|@acp-kit\/source/);
  });
});
