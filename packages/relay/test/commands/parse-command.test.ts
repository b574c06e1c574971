import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/command-table.ts";
import { isAside, parseCommand } from "../../src/commands/parse-command.ts";

const command = (name: string, argument = "") => ({ kind: "command", name, argument });

describe("a message is a command", () => {
  test.each([
    ["behind !", "!help", command("help")],
    ["behind /", "/status", command("status")],
    ["behind .", ".stop", command("stop")],
    ["behind the wide mark of a CJK keyboard", "！help", command("help")],
    ["when it is one dot", ".", command("continue")],
    [
      "with white space and invisible characters around it",
      " \u200b!Help\u00a0\n",
      command("help"),
    ],
    ["whatever the case of its verb", "!MODEL opus", command("model", "opus")],
    ["with a verb in wide letters", "!ｎｅｗ", command("new")],
    ["with the dotted capital of a Turkish keyboard", "!Fİles", command("files")],
    ["with the full stop that a phone adds", "!help.", command("help")],
    ["by another word for it", "!whoami", command("status")],
    ["with an argument whose case is kept", "!get src/App.tsx", command("get", "src/App.tsx")],
    ["with more than one space", "!model   opus  4", command("model", "opus  4")],
    ["with a tab or a line break", "!model\topus", command("model", "opus")],
    ["with smart quotes around its argument", "!model “Opus 4.5”", command("model", "Opus 4.5")],
    ["with smart dashes in its argument", "!model claude—opus", command("model", "claude—opus")],
  ])("%s", (_title, text, expected) => {
    expect(parseCommand(text)).toEqual(expected);
  });

  test.each(COMMANDS.map(({ name, takes }) => [name, takes] as const))(
    "when it says !%s",
    (name, takes) => {
      expect(parseCommand(`!${name}`)).toEqual(command(name));
      const said = parseCommand(`!${name} word`);
      expect(said).toEqual(takes === "" ? { kind: "misused", name } : command(name, "word"));
    },
  );
});

describe("a message is ordinary text", () => {
  test.each([
    ["without a sigil", "help"],
    ["with a sigil alone", "!"],
    ["of three dots", "..."],
    ["with a space behind the sigil", "! help me"],
    ["that begins with a file's name", ".gitignore is wrong"],
    ["that begins with a path", "./run.sh fails"],
    ["that begins with a folder of a command's name", ".new file here"],
    ["that goes on where a command takes nothing, behind a slash", "/new feature please"],
    ["that begins with a number", "!1"],
    ["with two sigils", "!!help"],
    ["that is empty", ""],
  ])("%s", (_title, text) => {
    expect(parseCommand(text)).toBeUndefined();
  });
});

test("words behind ! and a command that takes none are a mistake, not a message", () => {
  expect(parseCommand("!stop please")).toEqual({ kind: "misused", name: "stop" });
});

describe("an unknown word", () => {
  test.each([
    ["a slip is told the nearest command", "!stauts please", "status", true],
    ["a slip in a short word too", "!hlp", "help", true],
    ["one that is like nothing is ours when it stands alone", "!frobnicate", undefined, true],
    ["one that is like nothing and goes on is not ours", "!important read this", undefined, false],
    ["behind a slash it is the agent's to know", "/stauts", "status", false],
  ])("%s", (_title, text, nearest, isOurs) => {
    expect(parseCommand(text)).toMatchObject({ kind: "unknown", nearest, isOurs });
  });

  test("is what the agent would read, in the case in which it was written", () => {
    expect(parseCommand("!Compact Keep the tests")).toMatchObject({
      verb: "Compact",
      text: "/Compact Keep the tests",
    });
  });

  test("without a near command and words behind a dot is ordinary text", () => {
    expect(parseCommand(".frobnicate")).toBeUndefined();
  });
});

test.each([
  ["!status", true],
  [".", true],
  ["!stop it", true],
  ["!modell x", true],
  ["!nonsense", true],
  ["/compact", false],
  ["!important read this", false],
  ["1", false],
  ["fix the test", false],
])("of a transcript, %j was for the relay: %s", (text, expected) => {
  expect(isAside(text)).toBe(expected);
});

test("any text is read, quickly, and no word is two commands", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const parsed = parseCommand(`!${text}`);
      expect([undefined, "command", "misused", "unknown"]).toContain(parsed?.kind);
    }),
  );
  const before = performance.now();
  for (const length of [1_990, 100_000]) {
    for (const text of ["!".repeat(length), `!${"a".repeat(length)}`, `!a${" ".repeat(length)}.`]) {
      parseCommand(text);
    }
  }
  expect(performance.now() - before).toBeLessThan(1_000);
  const words = COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(words).size).toBe(words.length);
});
