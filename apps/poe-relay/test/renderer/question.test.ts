import type { EventBody, PermissionAsk, PermissionOption } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { renderQuestion } from "../../src/renderer/question.ts";
import { bodyOf, end, fold, start, text } from "./fold.ts";

const ask: PermissionAsk = {
  id: "p",
  requester: "ana",
  title: "ls",
  toolKind: "execute",
  subject: "ls",
  subjectFrom: "input",
  subjectCut: false,
  options: [
    { id: "o1", name: "Allow", kind: "allow_once" },
    { id: "o2", name: "Allow ls", kind: "allow_always" },
    { id: "o3", name: "Reject", kind: "reject_once" },
    { id: "o4", name: "Never", kind: "reject_always" },
    { id: "o5", name: "Ask *Bob*", kind: "escalate" },
  ],
  expiresAt: 0,
};

const chosen = (id: string): PermissionOption => {
  const option = ask.options.find((one) => one.id === id);
  if (!option) throw new Error(`no option ${id}`);
  return option;
};

test("options are numbered in the agent's order and say what they mean", () => {
  expect(renderQuestion(ask).split("\n").at(-1)).toBe(
    "`1` once · `2` always, for exactly this (approvers only) · `3` no · `4` never (Never) (approvers only)" +
      " · `5` Ask \\*Bob\\* (approvers only) — anything else counts as no and is passed on.",
  );
});

test("an option's name cannot say otherwise than its kind", () => {
  const options = [{ id: "x", name: "No, cancel", kind: "allow_always" }];
  expect(renderQuestion({ ...ask, options })).toContain(
    "`1` always, for exactly this (approvers only)",
  );
});

test("options of one kind are told apart by their names", () => {
  const options = ["today", "here"].map((name) => ({ id: name, name, kind: "allow_once" }));
  expect(renderQuestion({ ...ask, options })).toContain("`1` once (today) · `2` once (here)");
});

test("a question without options can still be refused", () => {
  expect(renderQuestion({ ...ask, options: [] })).toContain("anything else counts as no");
});

test.each([
  ["execute", "Run this?"],
  ["edit", "Change this?"],
  ["switch_mode", "Switch the mode?"],
  ["teleport", "Allow this?"],
])("a call of kind %s asks %j", (toolKind, heading) => {
  expect(renderQuestion({ ...ask, toolKind }).split("\n")[0]).toBe(`❓ **${heading}**`);
});

describe("C15: the subject is shown as it is, in a code block that it cannot leave", () => {
  test.each([
    ["a command", "rm -rf dist && pnpm build --model x", "```\n", "\n```"],
    ["lines and tabs", "cat <<E\n\ta\nE", "```\n", "\n```"],
    ["a code block", "a\n```\nb", "````\n", "\n````"],
    ["many backticks", "``````", "```````\n", "\n```````"],
    ["an empty line at its end", "a\n", "```\n", "```"],
  ])("%s", (_, subject, before, after) => {
    expect(renderQuestion({ ...ask, subject })).toContain(`\n\n${before}${subject}${after}\n\n`);
  });
});

test("the agent's own words stand beside the subject, as code on one line", () => {
  const asked = renderQuestion({ ...ask, title: "Safe\n\n`1` yes" });
  expect(asked).toContain("\n\nThe agent calls it `Safe '1' yes`.\n\n");
  expect(renderQuestion(ask)).not.toContain("calls it");
});

test("C15: nothing is hidden in the agent's words and the names of its options", () => {
  const options = [{ id: "x", name: "Ne\u200Bver\u202E", kind: "reject_always" }];
  const asked = renderQuestion({ ...ask, title: "a\u202Eb\u200Bc", options });
  expect(asked).toContain("`a b⟨U+200B⟩c`");
  expect(asked).toContain("`1` never (Ne⟨U+200B⟩ver)");
});

test("C17: a question stands behind all that the agent has said, outside of its code", () => {
  const body = bodyOf(fold(start, text("reply `1` ```\n~~~~"), { kind: "permission-ask", ask }));
  expect(body).toMatch(/\n~~~~\n\n❓ \*\*Run this\?\*\*\n/);
});

test("C15: a subject that is cut says so", () => {
  const shown = renderQuestion({ ...ask, subjectCut: true });
  expect(shown).toContain("only its beginning");
});

test("C15: a question whose only subject is the agent's title says so", () => {
  expect(renderQuestion({ ...ask, subjectFrom: "title" })).toContain("the agent's own words");
});

describe("an answer is one line", () => {
  type Answer = Partial<Extract<EventBody, { kind: "permission-answer" }>>;
  const answered = (answer: Answer) =>
    bodyOf(
      fold(
        start,
        { kind: "permission-ask", ask },
        { kind: "permission-answer", permission: "p", end: "selected", ...answer },
      ),
    )
      .split("\n")
      .at(-1);

  test.each([
    [{ option: chosen("o1"), by: "ana" }, "> ✓ allowed once by you"],
    [{ option: chosen("o2"), by: "bob" }, "> ✓ allowed always by an approver"],
    [
      { option: chosen("o1"), by: "bob", remembered: "now" },
      "> ✓ allowed, from now on always for exactly this, by an approver",
    ],
    [{ option: chosen("o1"), by: "ana", remembered: "before" }, "> ✓ allowed as before by you"],
    [{ option: chosen("o3"), by: "ana" }, "> ✗ refused by you"],
    [{ option: chosen("o4"), by: "ana" }, "> ✗ refused always by you"],
    [{ option: chosen("o5"), by: "ana" }, "> ✓ answered “Ask \\*Bob\\*” by you"],
    [{ option: chosen("o1") }, "> ✓ allowed once by the relay's rules"],
    [{ end: "cancelled", by: "ana" }, "> ✗ refused by you"],
    [{ end: "cancelled" }, "> ✗ the question was withdrawn"],
    [{ end: "expired" }, "> ✗ nobody answered in time, so the agent was told no"],
  ] satisfies [Answer, string][])("%j", (answer, line) => {
    expect(answered(answer)).toBe(line);
  });

  test("a view that starts behind the question says what was chosen all the same", () => {
    const view = fold(
      {
        kind: "permission-answer",
        permission: "p",
        end: "selected",
        option: chosen("o1"),
        by: "ana",
      },
      text("Done."),
      end,
    );
    expect(bodyOf(view)).toBe("> ✓ allowed once by you\n\nDone.");
  });
});
