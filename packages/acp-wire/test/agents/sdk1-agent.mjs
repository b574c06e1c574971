// An agent built on the ACP SDK 1.9 with its classes, as most agents in the field are.
import { Readable, Writable } from "node:stream";
import { AgentSideConnection, ndJsonStream } from "acp-sdk-1";

class Sdk1Agent {
  #connection;
  #cancelled = new AbortController();
  #sessions = [];

  constructor(connection) {
    this.#connection = connection;
  }

  async initialize() {
    return {
      protocolVersion: 1,
      agentInfo: { name: "sdk1", version: "1.9" },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  async newSession({ cwd }) {
    const sessionId = `sdk1-${this.#sessions.length + 1}`;
    this.#sessions.push({ sessionId, cwd });
    return {
      sessionId,
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "code", name: "Code" },
        ],
      },
    };
  }

  async loadSession({ sessionId }) {
    await this.#say(sessionId, "before", "user_message_chunk");
    return {};
  }

  async resumeSession() {
    return {};
  }

  async closeSession() {
    return {};
  }

  async listSessions() {
    return { sessions: this.#sessions };
  }

  async setSessionMode() {
    return {};
  }

  async authenticate() {
    return {};
  }

  async cancel() {
    this.#cancelled.abort();
  }

  async prompt({ sessionId, prompt }) {
    if (prompt[0].text === "wait") {
      await this.#say(sessionId, "waiting");
      if (!this.#cancelled.signal.aborted) {
        await new Promise((resolve) => this.#cancelled.signal.addEventListener("abort", resolve));
      }
      return { stopReason: "cancelled" };
    }
    for (let at = 0; at < 20; at++) await this.#say(sessionId, `${at} `);
    const { outcome } = await this.#connection.requestPermission({
      sessionId,
      toolCall: { toolCallId: "t1", title: "Run it", kind: "execute", rawInput: { command: "ls" } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    await this.#say(sessionId, JSON.stringify(outcome));
    return { stopReason: "end_turn" };
  }

  #say(sessionId, text, sessionUpdate = "agent_message_chunk") {
    const update = { sessionUpdate, content: { type: "text", text } };
    return this.#connection.sessionUpdate({ sessionId, update });
  }
}

new AgentSideConnection(
  (connection) => new Sdk1Agent(connection),
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)),
);
