import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLog, formatUrlForLog, hashId } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { hasControls } from "./support.ts";

function captured(...secrets: string[]) {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  return {
    lines,
    log: createLog({ level: "debug", write, redactor, fields: { instance: "default" } }),
  };
}

const KEY = `${"k".repeat(16)}0123456789abcdef`;

describe("a registered secret", () => {
  test.each<[string, (log: ReturnType<typeof captured>["log"]) => void]>([
    ["in the message", (log) => log.info(`key ${KEY}!`)],
    ["in a field", (log) => log.info({ key: KEY }, "x")],
    ["deep inside a field", (log) => log.info({ a: [{ b: `Bearer ${KEY}` }] }, "x")],
    ["as the name of a field", (log) => log.info({ [KEY]: 1 }, "x")],
    ["in an error, its cause and its stack", (log) => log.error(new Error(KEY, { cause: KEY }))],
    ["in the fields of a child", (log) => log.child({ key: KEY }).info("x")],
  ])("is replaced %s", (_, write) => {
    const { log, lines } = captured(KEY);
    write(log);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("[redacted]");
    expect(lines[0]).not.toContain(KEY);
    expect(() => JSON.parse(lines[0] ?? "")).not.toThrow();
  });

  test("is replaced whatever characters it has and wherever in a text it is", () => {
    const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const { log, lines } = captured(value);
        log.info({ text: before + value + after }, "message");
        // Only the field is looked at: a secret such as `instance` would be replaced in the frame too.
        const text = (JSON.parse(lines[0] ?? "") as { text?: string }).text ?? "";
        expect(text).not.toContain(value);
      }),
    );
  });

  test("is replaced whole when another one is part of it", () => {
    const { log, lines } = captured("abcdefgh", "abcdefgh-ijkl");
    log.info("abcdefgh-ijkl");
    expect(lines[0]).not.toContain("ijkl");
  });
});

test("values too short to be secrets leave ordinary words alone", () => {
  const { log, lines } = captured("", "on", "instanc");
  log.info("turn on");
  expect(lines[0]).toContain("turn on");
  expect(lines[0]).toContain('"instance":"default"');
});

test("each record is one line of JSON with level, time and instance", () => {
  const { log, lines } = captured();
  log.warn({ n: 1 }, "two\nlines");
  expect(lines).toHaveLength(1);
  expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    instance: "default",
    n: 1,
    msg: "two\nlines",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
});

test("C28: a log line holds no character that a terminal acts on, and loses none of them", () => {
  const hostile = "\u001b[2J\u009b31m\u0007\u202e\u2028";
  const { log, lines } = captured();
  log.info({ hostile }, "x");
  expect(hasControls(lines[0] ?? "")).toBe(false);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ hostile });
});

test("C27: of a URL a log holds host and digest only", () => {
  const url = "https://pfst.cf2.poecdn.net/base/file/secret-path?sig=abc";
  expect(formatUrlForLog(url)).toBe(`pfst.cf2.poecdn.net#${hashId(url)}`);
  expect(formatUrlForLog("not a url?sig=abc")).not.toContain("sig");
  expect(formatUrlForLog("https://user:pw@host.example/x")).not.toContain("pw");
  expect(hashId("c-1")).toMatch(/^[0-9a-f]{12}$/);
  expect(hashId("c-1")).not.toBe(hashId("c-2"));
});
