import type { PermissionAsk, PermissionOption } from "@acp-kit/router";
import { FakeSlack } from "@acp-kit/testkit";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createSlackCaller,
  parseQuestionClick,
  type QuestionEnd,
  renderEndedQuestion,
  renderQuestion,
  renderSubjectModal,
  type SlackBlock,
  type SlackBody,
} from "../../src/index.ts";
import { startSlack } from "../rig.ts";

const options: readonly PermissionOption[] = [
  { id: "a", name: "Allow", kind: "allow_once" },
  { id: "b", name: "Always allow", kind: "allow_always" },
  { id: "c", name: "Reject", kind: "reject_once" },
  { id: "d", name: "Never", kind: "reject_always" },
];

function ask(part: Partial<PermissionAsk> = {}): PermissionAsk {
  return {
    id: "p1",
    requester: "U0ANA",
    title: "Build",
    toolKind: "execute",
    subject: "rm -rf dist && pnpm build",
    subjectFrom: "input",
    subjectCut: false,
    options,
    expiresAt: 0,
    ...part,
  };
}

const view = (part: Partial<PermissionAsk> = {}, isPrivate = true) => ({
  ask: ask(part),
  reference: "q7",
  revision: 1,
  isPrivate,
});

function elements(body: SlackBody): readonly SlackBlock[] {
  const actions = body.blocks.find(({ type }) => type === "actions");
  return (actions?.["elements"] ?? []) as readonly SlackBlock[];
}

const labels = (body: SlackBody) =>
  elements(body).map(({ text }) => (text as { text: string }).text);

/** What the platform would show. It has to take it first. */
async function show(body: SlackBody): Promise<string> {
  const { slack, call } = await startSlack();
  const posted = await call("chat.postMessage", { channel: "C0SHOP", ...body });
  expect(posted.kind).toBe("ok");
  return slack.person("U0ANA").see("C0SHOP");
}

test("a question names its requester, who is notified, and shows what is really run", async () => {
  const { slack, call } = await startSlack();
  await call("chat.postMessage", { channel: "C0SHOP", ...renderQuestion(view()) });
  expect(slack.person("U0ANA").see("C0SHOP")).toBe(
    [
      "agent: <@U0ANA> *Run this?*",
      "  rm -rf dist && pnpm build",
      "  [Allow once] [Always, for exactly this (approvers)] [No] [Never (approvers)]",
    ].join("\n"),
  );
  expect(slack.person("U0ANA").notices).toMatchObject([{ why: "mention" }]);
});

describe("the options of a question", () => {
  test("are those that the agent sent, and no more", () => {
    const only = [options[2] as PermissionOption];
    expect(labels(renderQuestion(view({ options: only })))).toEqual(["No"]);
    expect(labels(renderQuestion(view({ options: [] })))).toEqual([]);
  });

  test("hold again only where one person alone uses the conversation", () => {
    expect(labels(renderQuestion(view({}, false)))).toEqual(["Allow once", "No"]);
  });

  test("carry the agent's names where a kind is there twice, or unknown", () => {
    const twice = [
      { id: "a", name: "Yes, in src", kind: "allow_once" },
      { id: "b", name: "Yes, anywhere", kind: "allow_once" },
      { id: "c", name: "Ask my boss", kind: "delegate" },
    ];
    expect(labels(renderQuestion(view({ options: twice })))).toEqual([
      "Allow once (Yes, in src)",
      "Allow once (Yes, anywhere)",
      expect.stringMatching(/^Ask my boss/),
    ]);
  });

  test("say nothing by themselves: a reference and a number", () => {
    const values = elements(renderQuestion(view())).map(({ value, action_id: id }) => [id, value]);
    expect(values).toEqual([
      ["question-option-0", "q7"],
      ["question-option-1", "q7"],
      ["question-option-2", "q7"],
      ["question-option-3", "q7"],
    ]);
  });

  test("ask again before something is allowed for ever", () => {
    const withConfirm = elements(renderQuestion(view())).map(
      ({ confirm }) => confirm !== undefined,
    );
    expect(withConfirm).toEqual([false, true, false, false]);
  });

  test("keep their number when one before them is not shown", () => {
    const shown = elements(renderQuestion(view({}, false)));
    expect(shown.map(({ action_id: id }) => id)).toEqual([
      "question-option-0",
      "question-option-2",
    ]);
  });
});

describe("C15 what is run", () => {
  test("is shown letter by letter, whatever markup it holds", async () => {
    const subject = "echo *a* <!channel> <@U0BOB> `b` ```c``` &amp; ~d~";
    expect(await show(renderQuestion(view({ subject })))).toContain(`  ${subject}`);
  });

  test("shows what would hide or reorder", async () => {
    const subject = "rm \u202etxt.a\u200b \u0000\u001b[2J";
    expect(await show(renderQuestion(view({ subject })))).toContain(
      "rm ⟨U+202E⟩txt.a⟨U+200B⟩ ⟨U+0000⟩⟨U+001B⟩[2J",
    );
  });

  test("when it is too long is never allowed before all of it was shown, and never always", () => {
    const subject = "x".repeat(2_501);
    expect(labels(renderQuestion(view({ subject })))).toEqual([
      "Show all of it",
      "No",
      "Never (approvers)",
    ]);
    expect(labels(renderQuestion(view({ subjectCut: true })))).toEqual([
      "Show all of it",
      "No",
      "Never (approvers)",
    ]);
    expect(labels(renderQuestion(view({ subject: "x".repeat(2_500) })))).toHaveLength(4);
  });

  test("is whole in the modal, which alone allows it then", () => {
    const subject = Array.from({ length: 4_000 }, (_, at) => `line ${at}`).join("\n");
    const modal = renderSubjectModal(view({ subject }));
    expect(modal).toMatchObject({ submit: { text: "Allow once" }, private_metadata: "q7" });
    const texts = JSON.stringify(modal).match(/line \d+/g);
    expect(texts).toHaveLength(4_000);
    expect(JSON.stringify(modal)).not.toContain("only its beginning");
    const cut = renderSubjectModal(view({ subjectCut: true }));
    expect(JSON.stringify(cut)).toContain("only its beginning");
    expect(cut).not.toHaveProperty("submit");
  });

  test("that the agent did not send is said to be its own words", async () => {
    expect(await show(renderQuestion(view({ subjectFrom: "title" })))).toContain(
      "the agent's own words",
    );
  });

  test("never notifies anybody but the requester", async () => {
    const { slack, call } = await startSlack();
    const hostile = "<!channel> <@U0BOB>";
    const body = renderQuestion(
      view({ subject: "x", title: hostile, options: [{ id: "a", name: hostile, kind: "x" }] }),
    );
    await call("chat.postMessage", { channel: "C0SHOP", ...body });
    expect(JSON.stringify(body.blocks)).not.toMatch(/"type":"mrkdwn","text":"[^"]*<!/);
    expect(slack.person("U0GUEST").notices).toEqual([]);
  });
});

describe("a question that has ended", () => {
  const [once, , no] = options as [PermissionOption, PermissionOption, PermissionOption];
  const ends: readonly [end: QuestionEnd, text: string][] = [
    [{ kind: "selected", option: once, by: "U0BOB" }, "✓ allowed once by <@U0BOB>"],
    [{ kind: "selected", option: no, by: undefined }, "✗ refused by the relay's rules"],
    [{ kind: "cancelled", by: undefined }, "✗ the question was withdrawn"],
    [{ kind: "cancelled", by: "U0ANA" }, "✗ refused by <@U0ANA>"],
    [{ kind: "expired" }, "✗ nobody answered in time, so the agent was told no"],
    [{ kind: "interrupted" }, "✗ the relay was restarted, so this can no longer be answered"],
  ];

  test.each(ends)("%j keeps what was asked, says how, and has no button", async (end, text) => {
    const body = renderEndedQuestion(ask(), end);
    expect(await show(body)).toBe(
      ["agent: *Run this?*", "  rm -rf dist && pnpm build", `  ${text}`].join("\n"),
    );
    expect(elements(body)).toEqual([]);
  });
});

describe("a click", () => {
  test("names the question and an option of it, or asks for all of it", () => {
    expect(parseQuestionClick("question-option-2", "q7")).toEqual({
      kind: "option",
      reference: "q7",
      option: 2,
    });
    expect(parseQuestionClick("question-show-all", "q7")).toEqual({
      kind: "show-all",
      reference: "q7",
    });
  });

  test.each([
    ["question-option-x", "q7"],
    ["question-option-", "q7"],
    ["other", "q7"],
    ["question-option-1", ""],
    ["question-option-1", "a/../b"],
  ])("of %s with the value %j is none", (action, value) => {
    expect(parseQuestionClick(action, value)).toBeUndefined();
  });
});

test("the agent's name of a choice that was made mentions nobody", () => {
  const option = { id: "x", name: "<!channel> & <@U0ANA>", kind: "other" };
  const body = renderEndedQuestion(ask(), { kind: "selected", option, by: "U0BOB" });
  expect(JSON.stringify(body)).toContain(
    "✓ answered “&lt;!channel&gt; &amp; &lt;@U0ANA&gt;” by <@U0BOB>",
  );
  expect(JSON.stringify(body)).not.toContain("<!channel>");
});

test("the platform takes each question and each modal, whatever the agent sends", async () => {
  const slack = await FakeSlack.start({ rates: false });
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const call = createSlackCaller({ token: slack.app.botToken, apiUrl: slack.apiUrl });
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ maxLength: 6_000, minLength: 2_000 }),
    fc.constantFrom("", " ", "```", "<!channel>", "\u202e"),
  );
  const anyAsk = fc.record({
    title: text,
    subject: text,
    toolKind: fc.constantFrom("execute", "edit", "other", ""),
    subjectCut: fc.boolean(),
    subjectFrom: fc.constantFrom("input" as const, "title" as const),
    options: fc.array(
      fc.record({
        id: fc.string(),
        name: text,
        kind: fc.constantFrom("allow_once", "allow_always", "reject_once", "other", ""),
      }),
      { maxLength: 8 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(anyAsk, fc.boolean(), async (part, isPrivate) => {
      const body = renderQuestion(view(part, isPrivate));
      const posted = await call("chat.postMessage", { channel: "C0SHOP", ...body });
      expect(posted.kind).toBe("ok");
      const published = await call("views.publish", {
        user_id: "U0ANA",
        view: {
          ...renderSubjectModal(view(part)),
          type: "home",
          title: undefined,
          close: undefined,
        },
      });
      expect(published.kind).toBe("ok");
    }),
    { numRuns: 100 },
  );
});
