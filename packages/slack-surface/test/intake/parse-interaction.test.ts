import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkResponseUrl, parseSlackInteraction } from "../../src/intake/parse-interaction.ts";
import { identity } from "./events.ts";

const click = (part: object = {}) => ({
  type: "block_actions",
  api_app_id: "A0APP",
  user: { id: "U0ANA", team_id: "T0ACME" },
  team: { id: "T0ACME" },
  trigger_id: "1.2",
  response_url: "https://hooks.slack.com/actions/1",
  container: { type: "message", channel_id: "C0SHOP", message_ts: "2.1", thread_ts: "1.1" },
  actions: [{ action_id: "question-option-1", value: "q7" }],
  ...part,
});

test("C16 a click says who pressed what on which message", () => {
  expect(parseSlackInteraction(click(), identity)).toEqual({
    kind: "click",
    user: "U0ANA",
    userTeam: "T0ACME",
    channel: "C0SHOP",
    message: "2.1",
    thread: "1.1",
    action: "question-option-1",
    value: "q7",
    trigger: "1.2",
    responseUrl: "https://hooks.slack.com/actions/1",
  });
});

test("C16 a click of another app or workspace is none", () => {
  const reason = (part: object) => parseSlackInteraction(click(part), identity);
  expect(reason({ api_app_id: "A9" })).toEqual({ kind: "ignored", reason: "foreign-app" });
  expect(reason({ team: { id: "T9" } })).toEqual({ kind: "ignored", reason: "foreign-team" });
  expect(reason({ user: {} })).toEqual({ kind: "ignored", reason: "malformed" });
  expect(reason({ container: {} })).toEqual({ kind: "ignored", reason: "malformed" });
});

test("C11 a partner's click carries the partner's team", () => {
  const partner = { user: { id: "U0PAT", team_id: "T0PARTNER" }, team: { id: "T0PARTNER" } };
  expect(parseSlackInteraction(click(partner), identity)).toMatchObject({
    kind: "click",
    userTeam: "T0PARTNER",
  });
});

describe("C37 a response_url is used", () => {
  test.each([
    ["https://hooks.slack.com/actions/1", true],
    ["http://hooks.slack.com/actions/1", false],
    ["https://hooks.slack.com.evil.example/1", false],
    ["https://hooks.slack.com:8443/1", false],
    ["https://user@hooks.slack.com/1", false],
    ["https://evil.example/hooks.slack.com", false],
    ["file:///etc/passwd", false],
    ["nonsense", false],
  ])("of %s: %s", (url, isUsed) => {
    expect(checkResponseUrl(url)).toBe(isUsed ? url : undefined);
  });
});

test("a submission, a shortcut and a command mean themselves", () => {
  const view = {
    callback_id: "question-allow",
    private_metadata: "q7",
    state: { values: { a: 1 } },
  };
  expect(parseSlackInteraction(click({ type: "view_submission", view }), identity)).toMatchObject({
    kind: "submission",
    callback: "question-allow",
    metadata: "q7",
    values: { a: 1 },
  });
  const shortcut = click({
    type: "message_action",
    callback_id: "ask",
    container: undefined,
    channel: { id: "C1" },
    message_ts: "3.1",
  });
  expect(parseSlackInteraction(shortcut, identity)).toMatchObject({
    kind: "shortcut",
    callback: "ask",
    channel: "C1",
    message: "3.1",
  });
  const command = {
    command: "/agent",
    text: "status",
    api_app_id: "A0APP",
    team_id: "T0ACME",
    user_id: "U0ANA",
    channel_id: "C0SHOP",
    trigger_id: "1.2",
    response_url: "https://evil.example",
  };
  expect(parseSlackInteraction(command, identity)).toMatchObject({
    kind: "command",
    text: "status",
    responseUrl: undefined,
  });
  expect(parseSlackInteraction({ ...command, team_id: "T9" }, identity)).toMatchObject({
    reason: "foreign-team",
  });
});

test("whatever comes is read without an error", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), fc.dictionary(fc.string(), fc.anything()).map(click)),
      (payload) => {
        expect(parseSlackInteraction(payload, identity).kind).toBeTypeOf("string");
      },
    ),
  );
});
