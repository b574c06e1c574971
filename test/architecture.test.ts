import { beforeAll, describe, expect, test } from "vitest";
import { environmentRules } from "./architecture/environment-rules.ts";
import { importRules } from "./architecture/import-rules.ts";
import { layoutRules } from "./architecture/layout-rules.ts";
import { purityRules } from "./architecture/purity-rules.ts";
import { readFiles } from "./architecture/read-files.ts";
import type { Files, Sample } from "./architecture/rule.ts";
import { textRules } from "./architecture/text-rules.ts";
import { updateRules } from "./architecture/update-rules.ts";

const rules = [
  ...importRules,
  ...layoutRules,
  ...environmentRules,
  ...purityRules,
  ...updateRules,
  ...textRules,
];
const root = new URL("../", import.meta.url).pathname;

function titled(sample: Sample): [title: string, sample: Sample] {
  const json = JSON.stringify(sample);
  return [json.length > 120 ? `${json.slice(0, 119)}…` : json, sample];
}

let files: Files;
beforeAll(async () => {
  files = await readFiles(root);
});

test("the sources are really read", () => {
  expect(files.has("packages/statusline/src/index.ts")).toBe(true);
  expect(files.has("test/architecture.test.ts")).toBe(true);
  expect([...files.keys()].filter((file) => file.includes("node_modules"))).toEqual([]);
});

describe.each(rules)("$title", (rule) => {
  test("holds", () => {
    expect(rule.find(files)).toEqual([]);
  });

  test.each(rule.bad.map(titled))("is broken by %s", (_title, sample) => {
    expect(rule.find(new Map(Object.entries(sample)))).not.toEqual([]);
  });

  test.each(rule.fine.map(titled))("is not broken by %s", (_title, sample) => {
    expect(rule.find(new Map(Object.entries(sample)))).toEqual([]);
  });
});
