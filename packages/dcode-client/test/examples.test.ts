import { formatEvent, type KnownEvent } from "@acp-kit/dcode-protocol";
import { expect, test } from "vitest";
import { ask } from "../examples/ask.ts";
import { answerJson, serve, session } from "./server.ts";

test("the example in the README asks, denies and answers", async () => {
  const turn = { turn_id: "t1" };
  const approval = {
    ...turn,
    approval_id: "t1-0",
    tool_call_id: "c",
    tool: "bash",
    boundary_crossed: "network",
    expires_at: "0001-01-01T00:00:00Z",
  };
  const envelope = { session_id: "s1", at: "2026-08-11T12:00:00Z" };
  const events: KnownEvent[] = [
    { ...envelope, seq: 2, type: "message.delta", payload: { ...turn, text: "forty" } },
    { ...envelope, seq: 3, type: "tool.approval_required", payload: approval },
    { ...envelope, seq: 4, type: "message.delta", payload: { ...turn, text: "-two" } },
    { ...envelope, seq: 5, type: "turn.completed", payload: { ...turn, reason: "done" } },
  ];
  await using server = await serve((response, { method, url }) => {
    if (url === "/version") answerJson(response, 200, { version: "0.20.0", protocol: "v1" });
    else if (url === "/v1/sessions") answerJson(response, 201, session);
    else if (method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events)
        response.write(`id: ${event.seq}\ndata: ${formatEvent(event)}\n\n`);
    } else response.writeHead(204).end();
  });
  expect(await ask(server.socketPath, "/w", "six by seven?")).toBe("forty-two");
  expect(server.received.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual(
    [
      "GET /version",
      'POST /v1/sessions {"workspace":"/w"}',
      'POST /v1/sessions/s1/turns {"text":"six by seven?"}',
      "GET /v1/sessions/s1/events?from=2",
      'POST /v1/sessions/s1/approvals/t1-0 {"decision":"deny"}',
      "DELETE /v1/sessions/s1",
    ],
  );
});
