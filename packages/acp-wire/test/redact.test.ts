import { describe, expect, it } from "vitest";
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
  });

  it.each([
    ["key sk-12345678 is wrong", "key [redacted] is wrong"],
    ["sk-12345678-longer", "[redacted]"],
    ["abc in /home/somebody", "abc in /home/somebody"],
  ])("%s", (text, expected) => expect(redact(text)).toBe(expected));

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
