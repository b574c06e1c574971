// An agent built on the ACP SDK 2.4, as its users write one.
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";

const sessions = new Map();
agent({ name: "sdk2" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentInfo: { name: "sdk2", version: "2.4" },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
  }))
  .onRequest("session/new", ({ params }) => {
    const sessionId = `sdk2-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd: params.cwd, cancelled: new AbortController() });
    return {
      sessionId,
      configOptions: [
        {
          id: "model",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: "small",
          options: [
            { value: "small", name: "Small" },
            { value: "large", name: "Large" },
          ],
        },
      ],
    };
  })
  .onRequest("session/load", async ({ params, client }) => {
    await client.notify("session/update", {
      sessionId: params.sessionId,
      update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "before" } },
    });
    return {};
  })
  .onRequest("session/resume", () => ({}))
  .onRequest("session/close", () => ({}))
  .onRequest("session/list", () => ({
    sessions: [...sessions].map(([sessionId, { cwd }]) => ({ sessionId, cwd })),
  }))
  .onRequest("session/set_config_option", ({ params }) => ({
    configOptions: [
      {
        id: params.configId,
        name: "Model",
        category: "model",
        type: "select",
        currentValue: params.value,
        options: [{ value: params.value, name: "Chosen" }],
      },
    ],
  }))
  .onNotification("session/cancel", ({ params }) =>
    sessions.get(params.sessionId).cancelled.abort(),
  )
  .onRequest("session/prompt", async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const say = (text) =>
      client.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    const { signal } = sessions.get(sessionId).cancelled;
    if (prompt[0].text === "wait") {
      await say("waiting");
      if (!signal.aborted) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }
      return { stopReason: "cancelled" };
    }
    for (let at = 0; at < 20; at++) await say(`${at} `);
    const { outcome } = await client.request("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "t1", title: "Run it", kind: "execute", rawInput: { command: "ls" } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    await say(JSON.stringify(outcome));
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
