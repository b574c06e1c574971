import { parseMeta } from "@acp-kit/statusline";
import { expect, test } from "vitest";
import { approvalCall, approvalOptions } from "../src/mapping/approval.ts";
import { modeState } from "../src/mapping/modes.ts";
import { parsePrompt } from "../src/mapping/prompt.ts";
import {
  asked,
  completed,
  noticesOf,
  reduceAll,
  requested,
  resolved,
  session,
  told,
  turnCompleted,
  turnStarted,
  updatesOf,
} from "./events.ts";

const base = {
  approval_id: "t1-0",
  turn_id: "t1",
  tool_call_id: "c1",
  tool: "bash",
  boundary_crossed: "network",
};

test("T4: a tool's input may be any JSON, and makes a card all the same", () => {
  for (const input of [null, [1, 2], "text", 7, true, { command: 5, edits: [null] }]) {
    const [card] = updatesOf(
      reduceAll([turnStarted(), requested("bash", input)]).mapped,
      "tool_call",
    );
    expect(card).toMatchObject({ title: "bash", kind: "execute", status: "pending" });
  }
});

test("T6: a plan of null is an empty plan, which clears", () => {
  const { mapped } = reduceAll([told("plan.updated", { items: null })]);
  expect(updatesOf(mapped)).toEqual([{ sessionUpdate: "plan", entries: [] }]);
});

test("T7: an unknown window or usage tells no fullness, and a rounds count without total stands alone", () => {
  const { context_window: _, ...rest } = session();
  const usage = { usage: { input_tokens: 1, output_tokens: 1, context_tokens: 5 } };
  const unknown = reduceAll([turnStarted(), turnCompleted("done", usage)], { ...rest });
  expect(updatesOf(unknown.mapped, "usage_update")).toEqual([]);
  const none = reduceAll([turnStarted(), turnCompleted("done")]);
  expect(updatesOf(none.mapped, "usage_update")).toEqual([]);
  const rounds = told("progress", { turn_id: "t1", kind: "rounds", done: 3 });
  const { mapped } = reduceAll([turnStarted(), rounds]);
  const last = mapped.at(-1);
  expect(last && "update" in last && parseMeta(last.meta)).toMatchObject({ plan: "3", ok: true });
});

test("T8: a prompt of text alone has no key for pictures", () => {
  expect(parsePrompt([{ type: "text", text: "hi" }])).toEqual({ text: "hi" });
});

test("T9: a picture in another alphabet than the daemon's, unpadded, or as a data URL is refused here", () => {
  const picture = (data: string) => [{ type: "image" as const, data, mimeType: "image/png" }];
  for (const data of ["A_-A", "AAA", "data:image/png;base64,AAAA"]) {
    expect(() => parsePrompt(picture(data))).toThrow(expect.objectContaining({ code: -32602 }));
  }
  expect(parsePrompt(picture("AA==")).images).toEqual([{ media_type: "image/png", data: "AA==" }]);
});

test("T10: unknown events are ignored and counted, and an unknown decision closes the card as not allowed", () => {
  const { state, mapped } = reduceAll([
    told("session.notice", { code: "x" }),
    turnStarted(),
    requested("bash", { command: "x" }),
    asked(),
    resolved("allow_forever"),
  ]);
  expect(state.session.position).toBe(5);
  expect(updatesOf(mapped, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
});

test("T14: a turn that has the id of an earlier one is another turn, with messages of its own", () => {
  const say = told("message.delta", { turn_id: "t1", text: "x" });
  const { mapped } = reduceAll([turnStarted(), say, turnCompleted(), turnStarted(), say]);
  const ids = updatesOf(mapped, "agent_message_chunk").map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(2);
});

test("T15: two approvals of a turn with one id are two questions", () => {
  const first = reduceAll([turnStarted(), requested("bash", {}), asked()]);
  const second = reduceAll(
    [resolved("allow"), completed(), requested("bash", {}), asked()],
    first.state,
  );
  const seqs = [first, second].map(({ state }) => state.session.approvals.map(({ seq }) => seq));
  expect(seqs).toEqual([[3], [7]]);
});

test("T16: calls that share an id have cards of their own, and the one whose arguments arrive is opened early", () => {
  const argument = told("progress", {
    turn_id: "t1",
    tool_call_id: "c1",
    name: "bash",
    kind: "arguments",
    done: 0,
  });
  const one = [argument, requested("bash", { command: "ls" }), completed()];
  const { mapped } = reduceAll([turnStarted(), ...one, ...one]);
  const cards = updatesOf(mapped, "tool_call");
  expect(cards).toMatchObject([{ title: "bash" }, { title: "bash" }]);
  expect(new Set(cards.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  const titled = updatesOf(mapped, "tool_call_update").filter(({ title }) => title === "ls");
  expect(titled.map(({ toolCallId }) => toolCallId)).toEqual(
    cards.map(({ toolCallId }) => toolCallId),
  );
});

test("T17: a call that never completes is closed at its denial or at the end of its turn, and a completion without a call is a card", () => {
  const end = (reason: string) =>
    updatesOf(
      reduceAll([turnStarted(), requested("mystery", {}), turnCompleted(reason)]).mapped,
      "tool_call_update",
    ).map(({ status, content }) => `${status} ${JSON.stringify(content)}`);
  expect(end("done")).toEqual([expect.stringMatching(/^failed .*without a result/)]);
  expect(end("interrupted")).toEqual([expect.stringMatching(/^failed .*Interrupted/)]);
  const early = updatesOf(reduceAll([completed({ output: "hi" })]).mapped);
  expect(early).toMatchObject([{ sessionUpdate: "tool_call", status: "completed" }]);
});

test("T18: the zero deadline is no deadline, and a real one is told", () => {
  const text = (expires: string) =>
    JSON.stringify(approvalCall("x", { ...base, expires_at: expires }, {}).content);
  expect(text("0001-01-01T00:00:00Z")).not.toContain("answered by");
  expect(text("2026-08-11T09:02:00.5-03:00")).toContain("answered by 2026-08-11T12:02:00.500Z");
});

test("T19: the numbers of a compaction count messages: no event is left out or asked for again", () => {
  const { state, mapped } = reduceAll([
    turnStarted(),
    told("session.compacted", { from_seq: 400, to_seq: 900, messages: 500, kept: 2 }),
    told("message.delta", { turn_id: "t1", text: "on" }),
  ]);
  expect(state.session.position).toBe(3);
  expect(updatesOf(mapped, "agent_message_chunk")).toHaveLength(1);
  expect(noticesOf(mapped)).toEqual([expect.stringContaining("500 messages; 2 are kept")]);
});

test("T20: a band is a fraction of the window, and only raises what a turn's end has told", () => {
  const band = (fraction: number) => told("context.band", { band: 2, fraction });
  const usage = { usage: { input_tokens: 9, output_tokens: 9, context_tokens: 700 } };
  const { mapped } = reduceAll([
    band(0.64),
    turnStarted(),
    turnCompleted("done", usage),
    band(0.64),
    band(0.8),
  ]);
  expect(updatesOf(mapped, "usage_update").map(({ used }) => used)).toEqual([640, 700, 800]);
});

test("T21: fullness is context_tokens, never the tokens that the rounds have summed up", () => {
  const usage = { usage: { input_tokens: 99_999, output_tokens: 9 } };
  const { mapped } = reduceAll([turnStarted(), turnCompleted("done", usage)]);
  expect(updatesOf(mapped, "usage_update")).toEqual([]);
});

test("T22: what session.created says of the session is older than the answer that made it", () => {
  const stale = session({ mode: "plan", last_seq: 0 });
  const { state, mapped } = reduceAll([told("session.created", stale)], session({ last_seq: 1 }));
  expect(mapped).toEqual([]);
  expect(state.session).toMatchObject({ mode: "assist", position: 1, historyEnd: 1 });
});

test("T23: what a resumed session carries over is shown, and sets neither mode nor error nor usage", () => {
  const carried = [
    told("session.resumed", { source_id: "s0", turns: 1, started_at: "0001-01-01T00:00:00Z" }),
    turnStarted("t1", "before"),
    told("session.mode_changed", { previous: "assist", mode: "auto", sandbox_mode: "full-access" }),
    told("session.error", { code: "quota", message: "no money" }),
    resolved("allow"),
    told("context.band", { band: 3, fraction: 0.9 }),
    told("message.delta", { turn_id: "t1", text: "said" }),
    turnCompleted("error"),
  ];
  const { state, mapped } = reduceAll(carried, session({ last_seq: 8 }));
  expect(updatesOf(mapped).map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "user_message_chunk",
    "agent_message_chunk",
  ]);
  expect(noticesOf(mapped)).toEqual([]);
  expect(state.session).toMatchObject({ mode: "assist" });
  expect(state.session.error).toBeUndefined();
});

test("T24: a command that exits with another status than 0 has completed; one that did not run has failed", () => {
  const status = (more: object) =>
    updatesOf(
      reduceAll([turnStarted(), requested("bash", {}), completed(more)]).mapped,
      "tool_call_update",
    ).map((each) => each["status"]);
  expect(status({ has_exit: true, exit_code: 2, output: "exit 2\n" })).toEqual(["completed"]);
  expect(status({ ok: false })).toEqual(["failed"]);
});

test("T25: a rename that comes as an event is the title, and the empty name takes it back", () => {
  const { mapped } = reduceAll([
    told("session.renamed", { name: "Mine" }),
    told("session.renamed", { name: "" }),
  ]);
  expect(updatesOf(mapped).map(({ title }) => title)).toEqual(["Mine", null]);
});

test("the empty mode is listed as custom while it lasts", () => {
  expect(modeState("").currentModeId).toBe("custom");
  expect(modeState("").availableModes.map(({ id }) => id)).toEqual([
    "plan",
    "assist",
    "auto",
    "custom",
  ]);
  expect(modeState("plan").availableModes.map(({ id }) => id)).toEqual(["plan", "assist", "auto"]);
});

test("only a question about the network offers answers that outlive the session", () => {
  const ids = (boundary: string) =>
    approvalOptions({ ...base, boundary_crossed: boundary, expires_at: "" }).map(
      ({ optionId }) => optionId,
    );
  expect(ids("network")).toEqual([
    "allow",
    "allow_session",
    "allow_project",
    "allow_always",
    "deny",
  ]);
  for (const boundary of ["rule:write", "filesystem_write", "workspace-write", "new"]) {
    expect(ids(boundary)).toEqual(["allow", "allow_session", "deny"]);
  }
});
