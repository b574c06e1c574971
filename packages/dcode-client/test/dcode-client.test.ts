import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { ProtocolError } from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import { ClientError, DcodeClient } from "../src/index.ts";
import { answerJson, refusal, serve, session } from "./server.ts";

type Call = (client: DcodeClient) => Promise<unknown>;

describe("each call is the right request, and gives its answer", () => {
  const request = { workspace: "/w", model: "", resume: "r" };
  const undone = { restored: null, refused: ["/w/a"] };
  const committed = { path: ".dcode/tasks.md", summary: "2", criteria: 2 };
  const folder = { path: "specs/one", criteria: 1, unmet: 0, pending: false, measured: true };
  const listed = { ...session, first_seq: 1 };
  const rows: [
    name: string,
    call: Call,
    line: string,
    body: string,
    status: number,
    answer: unknown,
    result: unknown,
  ][] = [
    ["health", (c) => c.health(), "GET /health", "", 200, { status: "ok" }, { status: "ok" }],
    [
      "version",
      (c) => c.version(),
      "GET /version",
      "",
      200,
      { version: "0.20.0", protocol: "v1" },
      { version: "0.20.0", protocol: "v1" },
    ],
    [
      "checkVersion",
      (c) => c.checkVersion(),
      "GET /version",
      "",
      200,
      { version: "0.20.0", protocol: "v1" },
      { version: "0.20.0", protocol: "v1" },
    ],
    [
      "createSession",
      (c) => c.createSession(request),
      "POST /v1/sessions",
      '{"workspace":"/w","resume":"r"}',
      201,
      session,
      listed,
    ],
    ["listSessions", (c) => c.listSessions(), "GET /v1/sessions", "", 200, [session], [listed]],
    ["getSession", (c) => c.getSession("s1"), "GET /v1/sessions/s1", "", 200, session, listed],
    [
      "deleteSession",
      (c) => c.deleteSession("s1"),
      "DELETE /v1/sessions/s1",
      "",
      204,
      undefined,
      undefined,
    ],
    [
      "submitTurn",
      (c) => c.submitTurn("s1", { text: "hi", images: [] }),
      "POST /v1/sessions/s1/turns",
      '{"text":"hi"}',
      202,
      undefined,
      undefined,
    ],
    [
      "steer",
      (c) => c.steer("s1", "no"),
      "POST /v1/sessions/s1/steer",
      '{"text":"no"}',
      202,
      undefined,
      undefined,
    ],
    [
      "interrupt",
      (c) => c.interrupt("s1"),
      "POST /v1/sessions/s1/interrupt",
      "",
      204,
      undefined,
      undefined,
    ],
    [
      "resolveApproval",
      (c) => c.resolveApproval("s1", "t1-0", "allow"),
      "POST /v1/sessions/s1/approvals/t1-0",
      '{"decision":"allow"}',
      204,
      undefined,
      undefined,
    ],
    [
      "undo",
      (c) => c.undo("s1"),
      "POST /v1/sessions/s1/undo",
      "",
      200,
      undone,
      { restored: [], refused: ["/w/a"] },
    ],
    [
      "exec",
      (c) => c.exec("s1", "ls"),
      "POST /v1/sessions/s1/exec",
      '{"command":"ls"}',
      204,
      undefined,
      undefined,
    ],
    [
      "rename",
      (c) => c.rename("s1", ""),
      "POST /v1/sessions/s1/name",
      '{"name":""}',
      204,
      undefined,
      undefined,
    ],
    [
      "setMode",
      (c) => c.setMode("s1", "plan"),
      "POST /v1/sessions/s1/mode",
      '{"mode":"plan"}',
      204,
      undefined,
      undefined,
    ],
    [
      "commitDone",
      (c) => c.commitDone("s1"),
      "POST /v1/sessions/s1/done",
      "",
      200,
      committed,
      committed,
    ],
    [
      "listSpecs",
      (c) => c.listSpecs("/w w"),
      "GET /v1/specs?workspace=%2Fw+w",
      "",
      200,
      { specs: [folder] },
      [folder],
    ],
    [
      "listSpecs unmeasured",
      (c) => c.listSpecs("/w", { measure: false }),
      "GET /v1/specs?workspace=%2Fw&measure=false",
      "",
      200,
      { specs: null },
      [],
    ],
    [
      "an id that needs escaping",
      (c) => c.resolveApproval("a/b?", "x#é", "deny"),
      "POST /v1/sessions/a%2Fb%3F/approvals/x%23%C3%A9",
      '{"decision":"deny"}',
      204,
      undefined,
      undefined,
    ],
  ];
  test.each(rows)("%s", async (_name, call, line, body, status, answer, result) => {
    await using server = await serve((response) => {
      if (answer === undefined) response.writeHead(status).end();
      else answerJson(response, status, answer);
    });
    expect(await call(server.client)).toEqual(result);
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([line]);
    expect(server.received[0]?.body).toBe(body);
  });
});

describe("a refusal", () => {
  const rows: [string, number, string, object][] = [
    [
      "keeps the daemon's code",
      409,
      '{"code":"turn_already_active","message":"busy"}',
      { name: "ProtocolError", code: "turn_already_active", text: "busy" },
    ],
    [
      "keeps a code that nobody knows",
      418,
      '{"code":"teapot","message":""}',
      { name: "ProtocolError", code: "teapot" },
    ],
    [
      "keeps its code whatever the status says",
      500,
      '{"code":"session_not_found","message":"x","more":1}',
      { code: "session_not_found" },
    ],
    [
      "in HTML is internal",
      502,
      "<html>bad gateway</html>",
      { name: "ProtocolError", code: "internal", text: "daemon reported 502" },
    ],
    [
      "with an empty code is internal",
      503,
      '{"code":"","message":"x"}',
      { code: "internal", text: "daemon reported 503" },
    ],
    [
      "that is too long to read is internal",
      500,
      `{"code":"x","message":"${"x".repeat(70_000)}"}`,
      { code: "internal", text: "daemon reported 500" },
    ],
    [
      "in plain text with 404 is a route that an old daemon does not have",
      404,
      "404 page not found\n",
      { name: "ClientError", code: "unsupported" },
    ],
    [
      "with 405 likewise",
      405,
      "Method Not Allowed\n",
      { name: "ClientError", code: "unsupported" },
    ],
    [
      "by redirection is none of this protocol",
      302,
      "",
      { name: "ClientError", code: "bad_answer" },
    ],
  ];
  test.each(rows)("%s", async (_name, status, body, error) => {
    await using server = await serve((response) => response.writeHead(status).end(body));
    expect(await refusal(server.client.setMode("s1", "plan"))).toMatchObject(error);
  });
});

describe("an answer that is none", () => {
  test.each([
    ["not JSON", "{", /answered: not JSON/],
    ["another shape", '{"sessions":[]}', /answered: SessionList: /],
    ["longer than an answer may be", " ".repeat(17 * 1024 * 1024), /longer than/],
  ])("%s", async (_name, body, message) => {
    await using server = await serve((response) => response.writeHead(200).end(body));
    const error = await refusal(server.client.listSessions());
    expect(error).toMatchObject({
      code: "bad_answer",
      message: expect.stringMatching(message) as string,
    });
  });

  test("a version of another protocol is refused by checkVersion alone", async () => {
    const version = { version: "9.0.0", protocol: "v2" };
    await using server = await serve((response) => answerJson(response, 200, version));
    expect(await server.client.version()).toEqual(version);
    expect(await refusal(server.client.checkVersion())).toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(/v2.*v1/) as string,
    });
  });
});

describe("when the connection fails", () => {
  test("nobody listening is unreachable, and says where and what to do", async () => {
    const client = new DcodeClient({ socketPath: "/nonexistent/dcode.sock" });
    const error = await refusal(client.health());
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({
      code: "unreachable",
      message:
        'No dcode daemon listens at /nonexistent/dcode.sock (ENOENT); start one with "dcode serve".',
    });
  });

  test("a connection that breaks before the answer is closed: what was asked may have been done", async () => {
    await using server = await serve((response) => response.destroy());
    expect(await refusal(server.client.interrupt("s1"))).toMatchObject({ code: "closed" });
    expect(server.received).toHaveLength(1);
  });

  test("a connection that breaks within the answer is closed too", async () => {
    await using server = await serve((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[", () => response.destroy());
    });
    expect(await refusal(server.client.listSessions())).toMatchObject({ code: "closed" });
  });

  test("no answer in time is a timeout", async () => {
    await using server = await serve(() => {});
    const error = await refusal(server.client.getSession("s1", { timeoutMs: 50 }));
    expect(error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("GET /v1/sessions/s1 within 50 ms") as string,
    });
  });

  test("half an answer in time is a timeout", async () => {
    await using server = await serve((response) => void response.writeHead(200).write("["));
    expect(await refusal(server.client.listSessions({ timeoutMs: 50 }))).toMatchObject({
      code: "timeout",
    });
  });

  test("the caller's signal aborts, and keeps its reason", async () => {
    const stop = new AbortController();
    await using server = await serve(() => stop.abort("enough"));
    const error = await refusal(server.client.getSession("s1", { signal: stop.signal }));
    expect(error).toMatchObject({ code: "aborted", cause: "enough" });
  });

  test("aborting exec closes its connection, which is what cancels the command", async () => {
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await using server = await serve((response) => {
      response.on("close", () => closed.resolve());
      arrived.resolve();
    });
    const stop = new AbortController();
    const running = refusal(server.client.exec("s1", "sleep 60", { signal: stop.signal }));
    await arrived.promise;
    stop.abort();
    expect(await running).toMatchObject({ code: "aborted" });
    await closed.promise;
  });

  test("exec waits longer than other calls", async () => {
    await using server = await serve((response) =>
      setTimeout(() => response.writeHead(204).end(), 150),
    );
    const client = new DcodeClient({ socketPath: server.socketPath }, { timeoutMs: 50 });
    expect(await refusal(client.interrupt("s1"))).toMatchObject({ code: "timeout" });
    await client.exec("s1", "make");
  });
});

describe("before anything is sent", () => {
  test.each(["", ".", "..", "\ud800"])("%j is refused as an id", async (id) => {
    await using server = await serve((response) => response.end());
    const calls: Call[] = [
      (c) => c.steer(id, "x"),
      (c) => c.submitTurn(id, { text: "" }),
      (c) => c.resolveApproval("s1", id, "allow"),
      (c) => c.events(id).next(),
    ];
    for (const call of calls) {
      expect(await refusal(call(server.client))).toMatchObject({
        name: "ProtocolError",
        code: "invalid_input",
      });
    }
    expect(server.received).toEqual([]);
  });

  test("a picture that the daemon would not take is refused", async () => {
    await using server = await serve((response) => response.end());
    const images = [{ media_type: "image/png", data: "data:image/png;base64,AAAA" }];
    expect(await refusal(server.client.submitTurn("s1", { text: "x", images }))).toBeInstanceOf(
      ProtocolError,
    );
    expect(server.received).toEqual([]);
  });
});

describe("with settleMs", () => {
  const rows: [string, number, string, (client: DcodeClient) => Promise<void>][] = [
    [
      "a turn is tried again while the session is still busy",
      409,
      "turn_already_active",
      (c) => c.submitTurn("s1", { text: "x" }, { settleMs: 5_000 }),
    ],
    [
      "an answer is tried again while it comes too early",
      409,
      "approval_already_resolved",
      (c) => c.resolveApproval("s1", "t1-0", "allow", { settleMs: 5_000 }),
    ],
    [
      "an answer is tried again while an older approval of that id has lapsed",
      410,
      "approval_expired",
      (c) => c.resolveApproval("s1", "t1-0", "allow", { settleMs: 5_000 }),
    ],
  ];
  test.each(rows)("%s", async (_name, status, code, call) => {
    let refused = 0;
    await using server = await serve((response) => {
      if (refused === 3) return response.writeHead(204).end();
      refused += 1;
      return answerJson(response, status, { code, message: "" });
    });
    await call(server.client);
    expect(server.received).toHaveLength(4);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
  });

  test("another refusal is final at once", async () => {
    await using server = await serve((response) =>
      answerJson(response, 404, { code: "session_not_found", message: "" }),
    );
    const call = server.client.submitTurn("s1", { text: "x" }, { settleMs: 60_000 });
    expect(await refusal(call)).toMatchObject({ code: "session_not_found" });
    expect(server.received).toHaveLength(1);
  });

  test("trying ends with its time, or with the signal", async () => {
    const stop = new AbortController();
    await using server = await serve((response) => {
      if (server.received.length === 10) stop.abort();
      answerJson(response, 409, { code: "turn_already_active", message: "" });
    });
    const options = { settleMs: 50 };
    expect(await refusal(server.client.submitTurn("s1", { text: "x" }, options))).toMatchObject({
      code: "turn_already_active",
    });
    const endless = { settleMs: Number.POSITIVE_INFINITY, signal: stop.signal };
    expect(["turn_already_active", "aborted"]).toContain(
      ((await refusal(server.client.submitTurn("s1", { text: "x" }, endless))) as { code: string })
        .code,
    );
  });

  test("without it nothing is tried again", async () => {
    await using server = await serve((response) =>
      answerJson(response, 409, { code: "turn_already_active", message: "" }),
    );
    await refusal(server.client.submitTurn("s1", { text: "x" }));
    expect(server.received).toHaveLength(1);
  });
});

describe("over TCP", () => {
  async function listen(answer: http.RequestListener) {
    const server = http.createServer(answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return { port, [Symbol.dispose]: () => void server.close() };
  }

  test("the token is sent, below the URL's own path", async () => {
    const seen: (string | undefined)[] = [];
    using server = await listen((request, response) => {
      seen.push(request.url, request.headers.authorization, request.headers.host);
      response.end('{"status":"ok"}');
    });
    const client = new DcodeClient({
      url: `http://127.0.0.1:${server.port}/control/`,
      token: "t0k",
    });
    await client.health();
    expect(seen).toEqual(["/control/health", "Bearer t0k", `127.0.0.1:${server.port}`]);
  });

  test("nobody listening at any address of a host is unreachable", async () => {
    const client = new DcodeClient({ url: "http://localhost:1" });
    expect(await refusal(client.health())).toMatchObject({ code: "unreachable" });
  });

  test("no message holds the token", async () => {
    const client = new DcodeClient({ url: "http://127.0.0.1:1", token: "t0k-secret" });
    const error = (await refusal(client.health())) as Error;
    expect(`${error.message} ${String(error.cause)} ${JSON.stringify(error)}`).not.toContain("t0k");
    expect(error).toMatchObject({ code: "unreachable" });
  });
});

test.each([
  ["a relative socket", { socketPath: "dcode.sock" }, /absolute path/],
  ["no URL", { url: "localhost" }, /http or https URL/],
  ["another scheme", { url: "file:///x" }, /http or https URL/],
  ["credentials in the URL", { url: "http://u:secret@h/" }, /takes no credentials/],
  ["a query", { url: "http://h/?token=secret" }, /takes no credentials/],
  ["a token with a line break", { url: "http://h", token: "secret\r\nx: y" }, /token must be/],
])("%s is refused as an address", (_name, address, message) => {
  const make = () => new DcodeClient(address);
  expect(make).toThrow(message);
  expect(make).not.toThrow(/secret/);
});
