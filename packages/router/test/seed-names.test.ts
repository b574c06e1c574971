import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seedNames } from "./seed-names.ts";

const source = (file: string) => readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8");

/** Exported names of the Go package's documentation. */
const names = [
  "Agent",
  "Attachment",
  "ChunkSink",
  "Config",
  "DebugInfo",
  "New",
  "Options",
  "ParseOptions",
  "Router",
  "Router.Cancel",
  "Router.Debug",
  "Router.Defaults",
  "Router.Len",
  "Router.Prompt",
  "Router.ReportReaction",
  "Router.RunGC",
  "Turn",
];

test("every name of the Go package has a row, and no row is about another", () => {
  expect(Object.keys(seedNames).sort()).toEqual(names);
});

test.each(Object.entries(seedNames))("%s is exported as its row says", (_, row) => {
  expect(source("index.ts")).toMatch(new RegExp(`\\b${row.ours}\\b`));
  if ("member" in row) {
    const body = /export interface Router [^{]*\{([\s\S]*?)\n\}/.exec(source("router.ts"))?.[1];
    expect(body).toMatch(new RegExp(`\\b${row.member}\\b`));
  }
});
