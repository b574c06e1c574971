import { waitFor } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { createSlackCaller } from "../src/index.ts";
import { startSlack } from "./rig.ts";

const message = { channel: "C0SHOP", text: "x" };

test("an answer is a value, whatever it says", async () => {
  const { slack, call } = await startSlack();
  expect(await call("chat.postMessage", message)).toMatchObject({
    kind: "ok",
    body: { channel: "C0SHOP" },
  });
  expect(await call("chat.postMessage", { ...message, channel: "C9" })).toMatchObject({
    kind: "refused",
    error: "channel_not_found",
  });
  slack.fail("chat.postMessage", { kind: "rate-limit", retryAfterS: 7 });
  expect(await call("chat.postMessage", message)).toEqual({ kind: "limited", retryAfterMs: 7_000 });
});

test("nested arguments arrive as they were meant", async () => {
  const { slack, call } = await startSlack();
  const blocks = [{ type: "divider" }];
  const metadata = { event_type: "part", event_payload: { id: "1" } };
  await call("chat.postMessage", { ...message, blocks, metadata });
  expect(slack.messages("C0SHOP")).toMatchObject([{ blocks, metadata }]);
});

describe("an outcome is unknown, and the call is not repeated,", () => {
  test.each(["internal_error", "fatal_error", "service_unavailable", "request_timeout"])(
    "after %s",
    async (error) => {
      const { slack, call } = await startSlack();
      slack.fail("chat.postMessage", { kind: "false-error", error });
      expect((await call("chat.postMessage", message)).kind).toBe("unknown");
      expect(slack.messages("C0SHOP")).toHaveLength(1);
    },
  );

  test("after a lost answer, with Slack's own client: one post", async () => {
    const { slack, call } = await startSlack();
    slack.fail("chat.postMessage", { kind: "lose-answer" });
    expect((await call("chat.postMessage", message)).kind).toBe("unknown");
    expect(slack.messages("C0SHOP")).toHaveLength(1);
  });

  test("after a status of the server", async () => {
    const { slack, call } = await startSlack();
    slack.fail("chat.postMessage", { kind: "answer", status: 503, body: "" });
    expect((await call("chat.postMessage", message)).kind).toBe("unknown");
    expect(slack.calls).toHaveLength(0);
  });

  test("after no answer in time", async () => {
    const { slack } = await startSlack();
    slack.fail("chat.postMessage", { kind: "hang" });
    const { apiUrl, app } = slack;
    const call = createSlackCaller({ token: app.botToken, apiUrl, timeoutMs: 50 });
    const result = await waitFor("the end of the wait", call("chat.postMessage", message));
    expect(result).toMatchObject({ kind: "unknown" });
  });
});

test("one limited or hanging call holds up no other", async () => {
  const { slack, call } = await startSlack();
  slack.fail("chat.update", { kind: "rate-limit", retryAfterS: 3_600 });
  slack.fail("reactions.add", { kind: "hang" });
  void call("reactions.add", {});
  await call("chat.update", {});
  const posted = await waitFor("the post", call("chat.postMessage", message));
  expect(posted).toMatchObject({ kind: "ok" });
});

test("150 calls at once are on their way at once", async () => {
  const { slack, call } = await startSlack({ rates: false });
  const gate = Promise.withResolvers<void>();
  slack.fail("auth.test", { kind: "hold", until: gate.promise }, 150);
  const held = Array.from({ length: 150 }, () => call("auth.test", {}));
  const posted = await waitFor("the post", call("chat.postMessage", message));
  expect(posted).toMatchObject({ kind: "ok" });
  gate.resolve();
  expect((await Promise.all(held)).every(({ kind }) => kind === "ok")).toBe(true);
});
