import { MAX_FIELD_RUNES, parseMeta } from "@acp-kit/statusline";
import { describe, expect, test } from "vitest";
import { demoScript } from "../src/demo.ts";
import { nominalDuration } from "./nominal-duration.ts";
import { choose, converse, Listener, startAgent } from "./start-agent.ts";

describe("the demo", () => {
  test.for([
    { turn: 1, says: "", model: "demo/swift", mode: "do" },
    { turn: 2, says: "", model: "demo/swift", mode: "do" },
    { turn: 1, says: "ask", model: "demo/swift", mode: "do" },
    { turn: 1, says: "", model: "demo/thorough", mode: "do" },
  ])("takes some 20 seconds: %j", (given) => {
    const ms = nominalDuration(
      demoScript.prompt,
      ({ turn = given.turn, says = given.says, model = given.model, mode = given.mode }) =>
        turn === given.turn && says === given.says && model === given.model && mode === given.mode,
      "once",
    );
    expect(ms).toBeGreaterThan(18_000);
    expect(ms).toBeLessThan(22_000);
  });

  test("shows in one turn everything that a chat can show, ten times as fast with --speed 10", async () => {
    const agent = await startAgent(["--speed", "10"]);
    const startedAt = performance.now();
    const { result, listener } = await converse(agent, "hello");
    const tookMs = performance.now() - startedAt;

    expect(result.stopReason).toBe("end_turn");
    expect(tookMs).toBeGreaterThan(1_800);
    expect(tookMs).toBeLessThan(4_000);
    expect(new Set(listener.kinds)).toEqual(
      new Set([
        "available_commands_update",
        "session_info_update",
        "agent_thought_chunk",
        "plan",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
        "usage_update",
      ]),
    );
    expect(listener.asked).toEqual([]);
    expect(listener.text).toMatch(/^\| .* \|\n\|---\|---\|\n/m);
    expect(listener.text).toMatch(/^```sh\n[^`]*\n```$/m);
    expect(listener.text).not.toContain("{{");
  });

  test("advances its plan entry by entry, and the status line with it", async () => {
    const agent = await startAgent(["--speed", "100"]);
    const { listener } = await converse(agent, "hello");
    const plans = listener.updates
      .filter(({ update }) => update.sessionUpdate === "plan")
      .map(({ update }) =>
        (update["entries"] as { status: string }[]).map(({ status }) => status[0]).join(""),
      );
    const lines = listener.updates.map(({ _meta }) => parseMeta(_meta)).filter(({ ok }) => ok);
    expect(plans).toEqual(["ipp", "cip", "cci", "ccc"]);
    expect(lines.map(({ plan }) => plan)).toEqual(["", "0/3", "1/3", "2/3", "3/3"]);
    for (const { mood } of lines) expect(mood.length).toBeLessThan(MAX_FIELD_RUNES);
  });

  test("runs two tools that succeed, one of them with a diff", async () => {
    const agent = await startAgent(["--speed", "100"]);
    const { listener } = await converse(agent, "hello");
    const tools = listener.updates.filter(({ update }) => "toolCallId" in update);
    expect(tools.map(({ update }) => [update["toolCallId"], update["status"]])).toEqual([
      ["read-1", "in_progress"],
      ["read-1", "completed"],
      ["edit-1", "pending"],
      ["edit-1", "in_progress"],
      ["edit-1", "completed"],
    ]);
    const diff = { type: "diff", path: "//greeting.ts" };
    expect(tools[2]?.update["content"]).toEqual([expect.objectContaining(diff)]);
  });

  test.for([
    ["once", "completed", "now greets you"],
    ["always", "completed", "now greets you"],
    ["no", "failed", "You said no"],
  ])("asks once when told to, and %s means %s", async ([option = "", status, remark]) => {
    const agent = await startAgent(["--speed", "100"]);
    const listener = new Listener(choose(option));
    await converse(agent, "please ask me", listener);
    expect(listener.asked.length).toBe(1);
    expect(listener.asked[0]?.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
    ]);
    const edits = listener.updates.filter(({ update }) => update["toolCallId"] === "edit-1");
    expect(edits.at(-1)?.update["status"]).toBe(status);
    expect(listener.text).toContain(remark);
  });

  test("says something else the second time, in the model and mode that were chosen", async () => {
    const agent = await startAgent(["--speed", "100"]);
    const { sessionId, listener } = await converse(agent, "hello");
    await agent.setModel(sessionId, "demo/thorough");
    await agent.prompt(sessionId, [{ type: "text", text: "again" }]);
    expect(listener.text).toContain("**Message 2, same session.**");
    expect(listener.text).toContain("Model `demo/thorough`, mode `do`.");
    await agent.setMode(sessionId, "plan");
    listener.updates.length = 0;
    await agent.prompt(sessionId, [{ type: "text", text: "again" }]);
    expect(listener.text).toContain("Plan mode");
    expect(listener.kinds).not.toContain("tool_call");
  });

  test.for<[string, (listener: Listener) => Promise<void>]>([
    [
      "thinks",
      (listener) => listener.until(({ update }) => update.sessionUpdate === "agent_thought_chunk"),
    ],
    [
      "runs a tool",
      (listener) => listener.until(({ update }) => update.sessionUpdate === "tool_call"),
    ],
    [
      "waits for an answer",
      (listener) => listener.until(({ update }) => update["toolCallId"] === "edit-1"),
    ],
  ])("stops at once while it %s", async ([, moment]) => {
    const agent = await startAgent(["--speed", "10"]);
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/", listener);
    const turn = agent.prompt(sessionId, [{ type: "text", text: "ask" }]);
    await moment(listener);
    const cancelledAt = performance.now();
    await agent.cancel(sessionId);
    expect((await turn).stopReason).toBe("cancelled");
    expect(performance.now() - cancelledAt).toBeLessThan(500);
    expect(parseMeta(listener.updates.at(-1)?._meta).mood).toBe("stopped");
  });

  test("reads well on a phone: no line of a table or a code block is longer than 48 letters", () => {
    const texts: string[] = [];
    JSON.stringify(demoScript, (_, value) => {
      if (value?.kind === "text") texts.push(value.text);
      return value;
    });
    const wide = texts
      .flatMap((text) => text.match(/^\|.*$|^```[\s\S]*?^```$/gm) ?? [])
      .flatMap((block) => block.split("\n"))
      .filter((line) => line.length > 48);
    expect(texts.length).toBeGreaterThan(8);
    expect(wide).toEqual([]);
  });
});
