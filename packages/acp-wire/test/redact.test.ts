import { describe, expect, it } from "vitest";
import type { WireError } from "../src/index.ts";
import { createRedactor } from "../src/redact.ts";
import { rawAgent } from "./agents.ts";
import { rejection } from "./raw-peer.ts";

describe("redacting", () => {
  const redact = createRedactor({
    API_KEY: "sk-12345678",
    BOT_TOKEN: "sk-12345678-longer",
    SHORT_KEY: "abc",
    HOME: "/home/somebody",
    UNSET_SECRET: undefined,
    PRIVATE_KEY: "-----BEGIN KEY-----\nMIIEvQIBADAN\n-----END KEY-----\n",
  });

  it.each([
    ["key sk-12345678 is wrong", "key [redacted] is wrong"],
    ["sk-12345678-longer", "[redacted]"],
    ["MIIEvQIBADAN", "[redacted]"],
    ["abc in /home/somebody", "abc in /home/somebody"],
  ])("%s", (text, expected) => expect(redact(text)).toBe(expected));

  it.each([
    ["in short lines", "\n"],
    ["in one line above the bound of a line", " "],
  ])("leaves no part of a secret where a long stderr %s is cut", async (_, between) => {
    const secret = "correct horse battery staple";
    const lines: string[] = [];
    const start = rawAgent(["loud-exit"], {
      env: { TEST_TOKEN: secret, TEST_BETWEEN: between },
      onStderr: (line) => lines.push(line),
    });
    const { exit } = (await rejection(start)) as WireError;
    expect(exit?.stderrTail).toMatch(/the end$/);
    for (const text of [exit?.stderrTail ?? "", ...lines]) {
      for (const word of secret.split(" ")) expect(text).not.toContain(word);
    }
  });

  it("holds for what an agent says on stderr, in the log and in the error", async () => {
    const lines: string[] = [];
    const start = rawAgent(["exit-before"], {
      env: { TEST_TOKEN: "cannot start" },
      onStderr: (line) => lines.push(line),
    });
    expect(await rejection(start)).toMatchObject({ exit: { stderrTail: "[redacted]: no key" } });
    expect(lines).toEqual(["[redacted]: no key"]);
  });
});
