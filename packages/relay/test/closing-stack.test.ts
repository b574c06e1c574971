import { expect, test } from "vitest";
import { ClosingStack } from "../src/closing-stack.ts";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { within } from "./support.ts";

test("the newest is closed first, each once, whatever another one does", async () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const stack = new ClosingStack(createLog({ level: "error", write, redactor: new Redactor() }));
  const closed: string[] = [];
  const resource = { [Symbol.asyncDispose]: async () => void closed.push("first") };
  expect(stack.use("first", resource)).toBe(resource);
  stack.add("fails", async () => {
    throw new Error("no");
  });
  stack.add("hangs", () => new Promise(() => {}), 10);
  stack.add("last", async () => closed.push("last"));
  await within(stack.close());
  await within(stack.close());
  expect(closed).toEqual(["last", "first"]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { what: "hangs", msg: "closing took too long" },
    { what: "fails", msg: "closing failed", err: { message: "no" } },
  ]);
});
