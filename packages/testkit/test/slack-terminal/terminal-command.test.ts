import { expect, test } from "vitest";
import {
  formatTerminalHelp,
  parseTerminalCommand,
} from "../../src/slack-terminal/terminal-command.ts";

test.each([
  ["", undefined],
  ["  ", undefined],
  [" hello /as you like ", { kind: "say", text: "hello /as you like" }],
  ["/say /compact now", { kind: "say", text: "/compact now" }],
  ["/as bob", { kind: "as", text: "bob" }],
  ["/press 12", { kind: "press", number: 12 }],
  ["/edit 3 two words", { kind: "edit", number: 3, text: "two words" }],
  ["/react 3 thumbsup", { kind: "react", number: 3, text: "thumbsup" }],
  ["/file a/b.txt look at  it", { kind: "file", path: "a/b.txt", text: "look at  it" }],
  ["/file a.txt", { kind: "file", path: "a.txt", text: "" }],
  ["/submit", { kind: "submit", text: "" }],
  ["/stop", { kind: "stop" }],
])("%j means %j", (line, command) => {
  expect(parseTerminalCommand(line)).toEqual(command);
});

test.each([
  ["/press", "Write /press N"],
  ["/press x", "Write /press N"],
  ["/press 1 2", "Write /press N"],
  ["/edit 3", "Write /edit N TEXT"],
  ["/as", "Write /as NAME"],
  ["/stop it", "Write /stop"],
  ["/toString", "There is no /toString: /help lists what there is."],
  ["/compact", "There is no /compact: /help lists what there is."],
])("%j is told how to be written", (line, message) => {
  expect(parseTerminalCommand(line)).toEqual({ kind: "wrong", message });
});

test("the help has a line for each command", () => {
  const lines = formatTerminalHelp().split("\n");
  for (const line of lines) {
    const [, verb = ""] = /^ {2}\/(\w+)/.exec(line) ?? [];
    expect(parseTerminalCommand(`/${verb}`)).not.toMatchObject({
      message: `There is no /${verb}: /help lists what there is.`,
    });
  }
  expect(lines.length).toBeGreaterThan(20);
});
