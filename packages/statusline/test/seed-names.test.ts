import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Status } from "../src/index.ts";
import { seedNames } from "./seed-names.ts";

/** What the Go package exports, members of its types included. */
const exported = [
  "ExtensionID",
  "MaxFieldRunes",
  "CapRunes",
  "ParseMeta",
  "ProviderEmoji",
  "ProviderEmojiForModel",
  "Segments",
  "Status",
  "Status.ProviderEmoji",
  "Status.Mood",
  "Status.Plan",
];

const fieldsOfStatus: Required<Status> = { providerEmoji: "", model: "", mood: "", plan: "" };

test("every name of the Go package has a row, and no row is made up", () => {
  expect(Object.keys(seedNames).sort()).toEqual([...exported].sort());
});

test.each(Object.entries(seedNames))("%s stands for an export of this package", (_name, row) => {
  const index = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
  const ours = new Set([...index.matchAll(/\w+(?=,| }|\n})/g)].map(([name]) => name));
  const [name = "", field] = row.ours.split(".");
  expect(ours).toContain(name);
  if (field !== undefined) expect(Object.keys(fieldsOfStatus)).toContain(field);
});
