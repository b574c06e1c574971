import { describe, expect, test } from "vitest";
import { letters, outcomeOf, startSlack } from "./rig.ts";

const channel_id = "D0ANA";

async function startThread(options: Parameters<typeof startSlack>[0] = {}) {
  const rig = await startSlack(options);
  const thread_ts = rig.slack.person("U0ANA").say(channel_id, "hello");
  const call = (method: string, args: Record<string, unknown>) =>
    outcomeOf(rig.client.apiCall(method, { channel_id, thread_ts, ...args }));
  const see = () => rig.slack.person("U0ANA").see(channel_id);
  return { ...rig, thread_ts, call, see };
}

describe("a thread's free status", () => {
  test("is seen for 2 minutes", async () => {
    const { call, see, clock } = await startThread();
    expect(await call("assistant.threads.setStatus", { status: "is thinking" })).toBe("ok");
    clock.advance(119_999);
    expect(see()).toBe("ana: hello\n  (agent is thinking)");
    clock.advance(1);
    expect(see()).toBe("ana: hello");
  });

  test("goes with the app's next message in the thread, and with an empty one", async () => {
    const { call, see, client, thread_ts } = await startThread();
    await call("assistant.threads.setStatus", { status: "is thinking" });
    await client.chat.postMessage({ channel: channel_id, text: "so", thread_ts });
    expect(see()).toBe("ana: hello\n  agent: so");
    await call("assistant.threads.setStatus", { status: "is reading" });
    await call("assistant.threads.setStatus", { status: "" });
    expect(see()).toBe("ana: hello\n  agent: so");
  });

  test("has at most 10 lines to change between, of 50 characters", async () => {
    const { call } = await startThread();
    const set = (loading_messages: string[]) =>
      call("assistant.threads.setStatus", { status: "is busy", loading_messages });
    expect(await set(Array.from({ length: 10 }, () => letters(50)))).toBe("ok");
    expect(await set(Array.from({ length: 11 }, () => "x"))).toBe("invalid_arguments");
    expect(await set([letters(51)])).toBe("invalid_arguments");
  });
});

describe("a session", () => {
  test("that is processing has a Stop, which tells the app, for an hour", async () => {
    const { call, see, slack, clock, thread_ts } = await startThread();
    await call("agents.sessions.setStatus", { status: "processing" });
    expect(see()).toBe("ana: hello\n  [Stop]");
    slack.person("U0ANA").stop(channel_id, thread_ts);
    expect(slack.deliveries.at(-1)?.payload["event"]).toMatchObject({
      type: "agent_session_stopped",
      user: "U0ANA",
      thread_ts,
    });
    // Nobody resets it.
    expect(see()).toContain("[Stop]");
    clock.advance(3_600_000);
    expect(see()).toBe("ana: hello");
  });

  test("warns an app that would not hear of Stop", async () => {
    const { client, thread_ts } = await startThread({ app: { events: ["message.im"] } });
    const answer = await client.apiCall("agents.sessions.setStatus", {
      channel_id,
      thread_ts,
      status: "processing",
    });
    expect(answer).toMatchObject({
      warning: "missing_agent_session_stopped_event_subscription",
    });
  });

  test("takes a title of 200 characters, which counts when it is made and when it is renamed", async () => {
    const { call, slack, thread_ts } = await startThread();
    const set = (title: string) => call("agents.sessions.setStatus", { status: "active", title });
    expect(await set(letters(201))).toBe("invalid_arguments");
    expect(await set(letters(200))).toBe("ok");
    expect(await set("other")).toBe("ok");
    expect(slack.session(channel_id, thread_ts)?.title).toBe(letters(200));
    expect(await call("agents.sessions.rename", { title: "other" })).toBe("ok");
    expect(slack.session(channel_id, thread_ts)?.title).toBe("other");
  });

  test("takes the place of the free status: there is one for both", async () => {
    const { call, see } = await startThread();
    await call("assistant.threads.setStatus", { status: "is thinking" });
    await call("agents.sessions.setStatus", { status: "suspended" });
    expect(see()).toBe("ana: hello\n  (agent waits for you)");
  });

  test("has one of four states", async () => {
    const { call } = await startThread();
    expect(await call("agents.sessions.setStatus", { status: "busy" })).toBe("invalid_arguments");
  });

  test("is only for apps that are declared as agents", async () => {
    const { call } = await startThread({ app: { isAgent: false } });
    expect(await call("agents.sessions.setStatus", { status: "active" })).toBe("not_authorized");
    expect(await call("assistant.threads.setTitle", { title: "x" })).toBe("not_agent_app");
  });
});
