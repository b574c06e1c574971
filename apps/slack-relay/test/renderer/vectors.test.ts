import { readFileSync } from "node:fs";
import { cutMarkdown } from "@acp-kit/slack-surface";
import { describe, expect, test } from "vitest";
import { cutMrkdwn } from "../../src/renderer/cut-mrkdwn.ts";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { renderMrkdwn } from "../../src/renderer/mrkdwn.ts";
import { parseTree } from "../../src/renderer/parse-tree.ts";
import { lettersOf } from "./letters.ts";

type Text = string | { readonly repeat: number; readonly text: string };
type Case = {
  readonly id: string;
  readonly dialect: "markdown" | "mrkdwn" | "any";
  readonly input: string | readonly Text[];
  readonly deltas?: readonly string[];
  readonly max_len?: number;
  readonly must_contain?: readonly string[];
  readonly must_not_contain?: readonly string[];
  readonly each_must_contain?: readonly string[];
  readonly count?: Readonly<Record<string, number>>;
  readonly code_unchanged?: readonly (string | readonly Text[])[];
};

const file = new URL("../vectors/markdown-slack.json", import.meta.url);
const { cases }: { cases: readonly Case[] } = JSON.parse(readFileSync(file, "utf8"));

const textOf = (text: Case["input"]): string =>
  typeof text === "string"
    ? text
    : text
        .map((part) => (typeof part === "string" ? part : part.text.repeat(part.repeat)))
        .join("");

const dialects = {
  markdown(text: string, maxCodePoints = 11_500) {
    const rendered = renderMarkdown(text, false).text;
    const messages: string[] = [];
    for (let from = 0; from < rendered.length; ) {
      const { body, to } = cutMarkdown(rendered, from, maxCodePoints);
      messages.push(body);
      from = to;
    }
    return messages;
  },
  mrkdwn: (text: string, maxCodePoints?: number) => cutMrkdwn(renderMrkdwn(text), maxCodePoints),
};

const rows = cases.flatMap((one) =>
  (["markdown", "mrkdwn"] as const)
    .filter((dialect) => one.dialect === "any" || one.dialect === dialect)
    .map((dialect): [string, string, Case] => [one.id, dialect, one]),
);

/** What stands in fences, those joined that one message closes and the next opens again. */
function codeOf(messages: readonly string[]): readonly string[] {
  const found: string[] = [];
  let goesOn = false;
  for (const message of messages) {
    let indent = "";
    let mark = "";
    let lines: string[] = [];
    message.split("\n").forEach((line, index) => {
      const [, before = "", open = ""] = /^(\s*)(`{3,}|~{3,})/.exec(line) ?? [];
      if (mark === "" && open !== "") [indent, mark, lines] = [before, open, []];
      else if (mark !== "" && line.trim() === mark) {
        const code = lines.join("\n");
        const isFirst = message.split("\n").slice(0, index - lines.length).length === 1;
        if (goesOn && isFirst) found.push(`${found.pop() ?? ""}\n${code}`);
        else found.push(code);
        goesOn = false;
        mark = "";
      } else if (mark !== "") lines.push(line.slice(indent.length));
    });
    goesOn = message.trimEnd().endsWith("```");
    expect(mark, "a fence is open at the end").toBe("");
  }
  return found;
}

const decoded = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Whether all signs stand in a text in their order; more may stand between them. */
function isWithin(signs: readonly string[], text: string): boolean {
  let from = 0;
  return signs.every((sign) => {
    const at = text.indexOf(sign, from);
    from = at + sign.length;
    return at >= 0;
  });
}

describe.each(rows)("%s as %s", (_id, dialect, one) => {
  const input = textOf(one.input);
  const render = dialects[dialect as "markdown" | "mrkdwn"];
  const messages = render(input, one.max_len);
  const maxLength = one.max_len ?? (dialect === "mrkdwn" ? 3_900 : 11_500);

  test("has what it must have, and not what it must not", () => {
    for (const text of one.must_contain ?? []) {
      expect(
        messages.some((message) => message.includes(text)),
        text,
      ).toBe(true);
    }
    for (const text of one.must_not_contain ?? []) {
      for (const message of messages) expect(message).not.toContain(text);
    }
    for (const text of one.each_must_contain ?? []) {
      for (const message of messages) expect(message).toContain(text);
    }
    for (const [text, count] of Object.entries(one.count ?? {})) {
      expect(messages.join("\n").split(text).length - 1, text).toBe(count);
    }
  });

  test("is whole messages within the limit", () => {
    for (const message of messages) {
      expect(message.trim()).not.toBe("");
      expect([...message].length).toBeLessThanOrEqual(maxLength);
      expect(message.isWellFormed()).toBe(true);
      if (dialect === "mrkdwn") expect(message).not.toMatch(/&(?!amp;|lt;|gt;)|<[^>]*$/);
    }
  });

  test("keeps code letter by letter, and closes every fence", () => {
    const code = codeOf(messages).map((each) => (dialect === "mrkdwn" ? decoded(each) : each));
    for (const wanted of one.code_unchanged ?? []) {
      expect(code.map((each) => each.replace(/\n$/, ""))).toContain(textOf(wanted));
    }
  });

  test("says all that was written, in order", () => {
    expect(isWithin(lettersOf(parseTree(input)), messages.join("").normalize())).toBe(true);
  });

  test("is the same in whatever pieces it arrives", () => {
    const parts = one.deltas ?? [...input.slice(0, 300)];
    const all = parts.join("");
    let told = "";
    let soFar = "";
    for (const part of parts) {
      soFar += part;
      const now = renderMarkdown(soFar, true).text;
      expect(now.startsWith(told)).toBe(true);
      told = now;
    }
    expect(renderMarkdown(all, false).text.startsWith(told)).toBe(true);
  });
});

test("no case is left out", () => {
  expect(cases).toHaveLength(49);
});
