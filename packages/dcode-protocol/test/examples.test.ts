import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

const folder = new URL("../examples/", import.meta.url);

test.each(readdirSync(folder))("examples/%s prints what its comments say", async (file) => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((value) => void printed.push(String(value)));
  await import(new URL(file, folder).href);
  const source = readFileSync(new URL(file, folder), "utf8");
  const claimed = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
  expect(claimed).not.toEqual([]);
  expect(printed).toEqual(claimed);
});
