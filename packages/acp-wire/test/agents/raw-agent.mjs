// A plain ACP agent without any library: what it writes is written by hand, byte for byte.
// Usage: node raw-agent.mjs [fault …]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const faults = new Set(process.argv.slice(2));
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, text) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  },
});
const writeAll = (messages) =>
  process.stdout.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));

if (faults.has("banner")) process.stdout.write("Welcome to raw-agent\n[1,2]\nnull\n");
if (faults.has("exit-before")) {
  process.stderr.write("cannot start: no key\n");
  process.exit(3);
}
if (faults.has("loud-exit")) {
  const { TEST_TOKEN, TEST_BETWEEN } = process.env;
  const loud = `${Array(10_000).fill(TEST_TOKEN).join(TEST_BETWEEN)}\nthe end\n`;
  await new Promise((resolve) => process.stderr.write(loud, resolve));
  process.exit(3);
}
if (faults.has("ignore-term")) process.on("SIGTERM", () => {});
if (faults.has("ignore-eof")) setInterval(() => {}, 1_000);

let prompt;
let sessions = 0;
let asks = 0;
const answers = new Map();
const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] };

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return answers.get(id)?.(result ?? { error });
  switch (method) {
    case "initialize":
      if (faults.has("exit-inside")) process.exit(4);
      if (faults.has("never-initialize")) return;
      if (faults.has("refuse-initialize")) {
        return send({ id, error: { code: -32000, message: "log in first" } });
      }
      return send({
        id,
        result: {
          protocolVersion: faults.has("v2") ? 2 : 1,
          agentInfo: { name: "raw", version: "1" },
          agentCapabilities: {
            loadSession: true,
            sessionCapabilities: faults.has("close") ? { close: {} } : {},
          },
          authMethods: [{ id: "key", name: "Key" }],
          env: faults.has("env") ? process.env : undefined,
        },
      });
    case "session/new": {
      const sessionId = faults.has("one-id") ? "s1" : `s${++sessions}`;
      if (faults.has("env"))
        return send({ id, result: { sessionId, _meta: { env: process.env } } });
      if (faults.has("place")) {
        return send({ id, result: { sessionId, _meta: { params, cwd: process.cwd() } } });
      }
      // The first updates leave in the same write as, and before, the answer that names the session.
      return writeAll([
        update(sessionId, "early"),
        { jsonrpc: "2.0", id, result: { sessionId, modes } },
        update(sessionId, "late"),
      ]);
    }
    case "session/load":
      return writeAll([update(params.sessionId, "replayed"), { jsonrpc: "2.0", id, result: null }]);
    case "session/list":
      return send({
        id,
        result: params.cursor
          ? { sessions: [{ sessionId: "s2", cwd: params.cwd }] }
          : { sessions: [{ sessionId: "s1", cwd: params.cwd }], nextCursor: "more" },
      });
    case "session/prompt": {
      const { sessionId } = params;
      const text = params.prompt[0]?.text ?? "";
      prompt = { id, sessionId };
      if (text === "exit") process.exit(5);
      if (text === "hang") return;
      if (text === "grandchild") {
        // It keeps this process's stdout open, and ignores what its parent's end would do to it.
        const options = { stdio: ["ignore", "inherit", "inherit"] };
        spawn("sh", ["-c", "trap '' HUP TERM; sleep 600"], options).on("spawn", () =>
          process.exit(6),
        );
        return;
      }
      if (text === "too-long") {
        // One update of this session, then the answer.
        return writeAll([
          update(sessionId, "x".repeat(5_000)),
          { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } },
        ]);
      }
      if (text === "too-long-answer") {
        const _meta = { long: "x".repeat(5_000) };
        return send({ id, result: { stopReason: "end_turn", _meta } });
      }
      if (text === "stop-reading") {
        process.stdin.pause();
        process.stdin.removeAllListeners("data");
        return setInterval(() => {}, 1_000);
      }
      if (text === "close-stdout") {
        setInterval(() => {}, 1_000);
        return process.stdout.end();
      }
      if (text === "ask") {
        const askId = `ask-${++asks}`;
        answers.set(askId, (answer) =>
          writeAll([
            update(sessionId, JSON.stringify(answer)),
            { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } },
          ]),
        );
        return send({
          id: askId,
          method: "session/request_permission",
          params: {
            sessionId,
            toolCall: { toolCallId: "t1", title: "rm" },
            options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
          },
        });
      }
      if (text.startsWith("{")) {
        // A request of the agent, as the prompt says it; the answer becomes the turn's text.
        const askId = `ask-${++asks}`;
        answers.set(askId, (answer) =>
          writeAll([
            update(sessionId, JSON.stringify(answer)),
            { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } },
          ]),
        );
        return send({ id: askId, ...JSON.parse(text) });
      }
      if (text.startsWith("cat ")) {
        return import("node:fs").then(({ readFileSync }) => {
          const tried = text
            .slice(4)
            .split(" ")
            .map((path) => {
              try {
                readFileSync(path);
                return "read";
              } catch (cause) {
                return cause.code;
              }
            });
          writeAll([
            update(sessionId, tried.join(" ")),
            { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } },
          ]);
        });
      }
      const done = { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } };
      const chunks = Array.from({ length: 20 }, (_, at) => update(sessionId, `${at} `));
      writeAll([...chunks, done, update(sessionId, "after")]);
      return setTimeout(() => writeAll([update(sessionId, "much later")]), 50);
    }
    case "authenticate": {
      const { auth } = params._meta ?? {};
      if (auth === undefined) return send({ id, result: {} });
      const state = auth.cancel ? "cancelled" : auth.redirect ? "ok" : "needs_redirect";
      const url = "https://login.example/1";
      return send({ id, result: { _meta: { auth: { state, id: "login-1", url, params: auth } } } });
    }
    case "logout":
      return send({ id, result: {} });
    case "session/cancel":
      if (faults.has("ignore-cancel")) return;
      return send({ id: prompt?.id, result: { stopReason: "cancelled" } });
    default:
      return send({ id, error: { code: -32601, message: `no ${method}`, data: { method } } });
  }
});
