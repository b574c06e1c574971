import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(path.join(root, "docs/poe-parity.md"), "utf8");

const rows = page.split("\n").flatMap((line) => {
  const [, number, feature, state, how] =
    /^\| (\d+) +\| (.+?) +\| (\w+|left out) +\| ?(.*?) *\|$/.exec(line) ?? [];
  return number ? [{ number: Number(number), feature, state, how: how ?? "" }] : [];
});

const quoted = (text: string) => [...text.matchAll(/“([^”]+)”/g)].map(([, title = ""]) => title);

/** The texts of all string literals that follow a parenthesis in a test: titles are among them. */
async function readTitles(): Promise<ReadonlySet<string>> {
  const titles = new Set<string>();
  for await (const file of glob("{packages,apps}/*/test/**/*.test.ts", { cwd: root })) {
    const source = readFileSync(path.join(root, file), "utf8");
    for (const [, , title = ""] of source.matchAll(/\(\s*(["'`])((?:\\.|(?!\1).)*)\1/g)) {
      titles.add(title);
    }
  }
  return titles;
}

describe("the page about features of an older relay for Poe", () => {
  test("has a row for each of the 136 features, in their order", () => {
    expect(rows.map(({ number }) => number)).toEqual(
      Array.from({ length: 136 }, (_, at) => at + 1),
    );
  });

  test("says of each requirement of the router that is Poe's what shows it", async () => {
    const wanted: string[] = [];
    for await (const file of glob("packages/router/test/requirements/*.ts", { cwd: root })) {
      const source = readFileSync(path.join(root, file), "utf8");
      for (const [, id = ""] of source.matchAll(/\[\s*"([^"]+)",\s*"poe",/g)) wanted.push(id);
    }
    const [, section = ""] = page.split("## What once went wrong");
    const told = [...section.matchAll(/^\| ([\w.-]+) +\| .+ \| “/gm)].map(([, id]) => id);
    expect(wanted.length).toBeGreaterThan(30);
    expect(wanted.filter((id) => !told.includes(id))).toEqual([]);
  });

  test("names tests that exist", async () => {
    const titles = await readTitles();
    const missing = quoted(page).filter((title) => !titles.has(title));
    expect(missing).toEqual([]);
  });

  test("names a test for what is done or better, and a reason for what is left out", () => {
    const bare = rows.filter(({ state, how }) => {
      return state === "left out" ? how === "" : quoted(how).length === 0;
    });
    expect(bare).toEqual([]);
    const states = new Set(rows.map(({ state }) => state));
    expect([...states].sort()).toEqual(["better", "done", "left out"]);
  });
});
