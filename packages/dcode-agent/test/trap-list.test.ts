import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const packages = new URL("../../", import.meta.url);
const folders = [
  "dcode-protocol/test",
  "dcode-client/test",
  "dcode-agent/test",
  "testkit/test/dcode",
];

/** The traps that the titles of the tests in a folder begin with. */
function tested(folder: string): string[] {
  const url = new URL(`${folder}/`, packages);
  return readdirSync(url)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, url), "utf8");
      return [...source.matchAll(/\b(?:test|it|describe)\(\s*"(T\d+): /g)].map(
        ([, trap]) => `${trap}`,
      );
    });
}

test("every trap of the protocol that is listed has a test by its name, and no other trap has one", () => {
  const list = readFileSync(new URL("dcode-protocol/TRAPS.md", packages), "utf8");
  const listed = [...list.matchAll(/^- \*\*(T\d+)\*\* /gm)].map(([, trap]) => `${trap}`);
  expect(listed).toEqual(Array.from({ length: 25 }, (_, index) => `T${index + 1}`));
  expect(new Set(folders.flatMap(tested))).toEqual(new Set(listed));
});
