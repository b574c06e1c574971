import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  approvalRequestSchema,
  createSessionRequestSchema,
  errorBodySchema,
  formatBody,
  formatEvent,
  parseBody,
  parseEvent,
  sessionSchema,
  turnCompletedSchema,
} from "../src/index.ts";

const read = (name: string) =>
  readFileSync(new URL(`fixtures/golden/${name}.json`, import.meta.url), "utf8");
const indented = (json: string) => `${JSON.stringify(JSON.parse(json), null, 2)}\n`;

test("the golden event is read and written back to the byte, its empty session id included", () => {
  const text = read("event");
  expect(indented(formatEvent(parseEvent(text)))).toBe(text);
});

test.each([
  ["approval-request", approvalRequestSchema],
  ["turn-completed", turnCompletedSchema],
  ["turn-completed-minimal", turnCompletedSchema],
  ["error", errorBodySchema],
  ["create-session-request", createSessionRequestSchema],
] as const)("the golden shape %s is read and written back to the byte", (name, schema) => {
  const text = read(name);
  const value = parseBody(schema, JSON.parse(text));
  expect(indented(formatBody(schema, value as never))).toBe(text);
});

test("the golden session is read and written back to the byte, but for the first_seq that reading adds", () => {
  const text = read("session");
  const { first_seq: firstSeq, ...session } = parseBody(sessionSchema, JSON.parse(text));
  expect(firstSeq).toBe(1);
  expect(indented(formatBody(sessionSchema, { ...session, first_seq: 0 }))).toBe(text);
});
