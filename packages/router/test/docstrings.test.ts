import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What an entry of the package gives out, and the file that each name comes from. */
function exportsOf(entry: string): [name: string, file: URL][] {
  const index = new URL(`../src/${entry}`, import.meta.url);
  const lists = readFileSync(index, "utf8").matchAll(/\{([^}]+)\} from "([^"]+)"/g);
  return [...lists].flatMap(([, names = "", from = ""]) =>
    names
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter(Boolean)
      .map((name): [string, URL] => [name, new URL(from, index)]),
  );
}

test.each(["index.ts", "sqlite/index.ts", "attachments/index.ts"])(
  "whatever %s gives out says what it is",
  (entry) => {
    const all = exportsOf(entry);
    expect(all.length).toBeGreaterThan(5);
    const silent = all.filter(([name, file]) => {
      const said = new RegExp(
        `\\*/\\nexport (?:async )?(?:type|interface|class|function\\*?|const) ${name}\\b`,
      );
      return !said.test(readFileSync(file, "utf8"));
    });
    expect(silent.map(([name]) => name)).toEqual([]);
  },
);
