import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { type Rig, refusal, rig, turn } from "./drive.ts";
import { request } from "./raw.ts";

const workspace = tmpdir();

describe("each route answers as the daemon does", () => {
  const rows: [string, { method: string; path: string; body?: string }, number, unknown][] = [
    ["health", { method: "GET", path: "/health" }, 200, { status: "ok" }],
    ["version", { method: "GET", path: "/version" }, 200, { version: "0.20.0", protocol: "v1" }],
    [
      "an unknown path, in plain text",
      { method: "GET", path: "/v1/nothing" },
      404,
      "404 page not found\n",
    ],
    [
      "an unknown action, in plain text",
      { method: "POST", path: "/v1/sessions/ID/compact" },
      404,
      "404 page not found\n",
    ],
    [
      "a wrong method, in plain text",
      { method: "PUT", path: "/v1/sessions" },
      405,
      "Method Not Allowed\n",
    ],
    [
      "a session that is not there",
      { method: "GET", path: "/v1/sessions/nope" },
      404,
      { code: "session_not_found", message: "no session nope" },
    ],
    [
      "a session that is not there, before the body",
      { method: "POST", path: "/v1/sessions/nope/mode", body: "{" },
      404,
      { code: "session_not_found", message: "no session nope" },
    ],
    [
      "a relative workspace",
      { method: "POST", path: "/v1/sessions", body: '{"workspace":"x"}' },
      400,
      { code: "workspace_invalid" },
    ],
    [
      "a workspace that is a file",
      {
        method: "POST",
        path: "/v1/sessions",
        body: JSON.stringify({ workspace: import.meta.filename }),
      },
      400,
      { code: "workspace_invalid" },
    ],
    [
      "a malformed creation",
      { method: "POST", path: "/v1/sessions", body: "{" },
      400,
      { code: "workspace_invalid" },
    ],
    [
      "an empty creation",
      { method: "POST", path: "/v1/sessions" },
      400,
      { code: "workspace_invalid" },
    ],
    [
      "an unknown sandbox",
      {
        method: "POST",
        path: "/v1/sessions",
        body: JSON.stringify({ workspace, sandbox_mode: "moon" }),
      },
      500,
      { code: "internal" },
    ],
    [
      "a spec outside of the workspace",
      {
        method: "POST",
        path: "/v1/sessions",
        body: JSON.stringify({ workspace, loop_spec: "../x" }),
      },
      400,
      { code: "invalid_input" },
    ],
    [
      "resuming what was never recorded",
      { method: "POST", path: "/v1/sessions", body: JSON.stringify({ workspace, resume: "nope" }) },
      404,
      { code: "session_not_found" },
    ],
    [
      "a malformed turn",
      { method: "POST", path: "/v1/sessions/ID/turns", body: "{" },
      500,
      { code: "internal" },
    ],
    [
      "a picture in URL-safe base64",
      {
        method: "POST",
        path: "/v1/sessions/ID/turns",
        body: '{"text":"","images":[{"media_type":"image/png","data":"-_-_"}]}',
      },
      500,
      { code: "internal" },
    ],
    [
      "a blank steering",
      { method: "POST", path: "/v1/sessions/ID/steer", body: '{"text":" "}' },
      400,
      { code: "invalid_input" },
    ],
    [
      "steering without a turn",
      { method: "POST", path: "/v1/sessions/ID/steer", body: '{"text":"x"}' },
      409,
      { code: "no_active_turn" },
    ],
    [
      "an answer that is none",
      { method: "POST", path: "/v1/sessions/ID/approvals/t1-0", body: '{"decision":"yes"}' },
      500,
      { code: "internal" },
    ],
    [
      "an answer that nobody asked for",
      { method: "POST", path: "/v1/sessions/ID/approvals/t1-0", body: '{"decision":"allow"}' },
      409,
      { code: "approval_already_resolved" },
    ],
    [
      "interrupting an idle session",
      { method: "POST", path: "/v1/sessions/ID/interrupt" },
      204,
      "",
    ],
    [
      "undoing nothing",
      { method: "POST", path: "/v1/sessions/ID/undo" },
      200,
      { restored: null, refused: null },
    ],
    [
      "an unknown mode, by its name",
      { method: "POST", path: "/v1/sessions/ID/mode", body: '{"mode":"turbo"}' },
      400,
      { code: "invalid_input", message: 'no mode "turbo"' },
    ],
    [
      "a blank command",
      { method: "POST", path: "/v1/sessions/ID/exec", body: '{"command":""}' },
      400,
      { code: "invalid_input" },
    ],
    [
      "a name of 121 characters",
      {
        method: "POST",
        path: "/v1/sessions/ID/name",
        body: JSON.stringify({ name: "😀".repeat(121) }),
      },
      400,
      { code: "invalid_input" },
    ],
    [
      "done without a proposal",
      { method: "POST", path: "/v1/sessions/ID/done" },
      400,
      { code: "invalid_input" },
    ],
    [
      "specs of no workspace",
      { method: "GET", path: "/v1/specs" },
      400,
      { code: "workspace_invalid" },
    ],
    [
      "specs of a workspace without any",
      { method: "GET", path: `/v1/specs?workspace=${encodeURIComponent(workspace)}` },
      200,
      { specs: null },
    ],
    [
      "events before the first",
      { method: "GET", path: "/v1/sessions/ID/events?from=0" },
      410,
      { code: "events_expired" },
    ],
    [
      "events from no number",
      { method: "GET", path: "/v1/sessions/ID/events?from=x" },
      500,
      { code: "internal" },
    ],
    [
      "events from a negative number",
      { method: "GET", path: "/v1/sessions/ID/events?from=-1" },
      500,
      { code: "internal" },
    ],
  ];
  test.each(rows)("%s", async (_name, call, status, body) => {
    await using daemon = await rig();
    const answer = await request(daemon.daemon.socketPath, {
      ...call,
      path: call.path.replace("ID", daemon.id),
    });
    expect(answer.status).toBe(status);
    if (typeof body === "string") expect(answer.text).toBe(body);
    else {
      expect(answer.headers["content-type"]).toBe("application/json");
      expect(answer.text.endsWith("}\n")).toBe(true);
      expect(JSON.parse(answer.text)).toMatchObject(body as object);
    }
  });
});

describe("sessions", () => {
  test("are listed while they live, in order of creation, and go when they are deleted", async () => {
    await using target = await rig();
    const { client, id } = target;
    const second = await client.createSession({ workspace, model: "m-2" });
    expect((await client.listSessions()).map((each) => each.id)).toEqual([id, second.id]);
    await client.deleteSession(id);
    expect((await client.listSessions()).map((each) => each.id)).toEqual([second.id]);
    expect(await refusal(client.deleteSession(id))).toMatchObject({ code: "session_not_found" });
  });

  test("are no more than the daemon takes", async () => {
    await using target = await rig({ maxSessions: 1 });
    expect(await refusal(target.client.createSession({ workspace }))).toMatchObject({
      code: "max_sessions_reached",
    });
  });

  test.each([
    [{}, "workspace-write", "assist", 0],
    [{ sandbox_mode: "full-access" }, "full-access", "auto", 0],
    // Reading only, but asking: no mode has that name.
    [{ sandbox_mode: "read-only" }, "read-only", "", 0],
    [{ loop_spec: "specs/one" }, "workspace-write", "assist", 1],
    [{ loop_spec: "specs/one", qualify: true }, "read-only", "plan", 0],
    [{ loop_spec: "specs/one", qualify: true, sandbox_mode: "full-access" }, "full-access", "", 0],
  ])("made with %j run under %s, mode %j", async (request, sandbox, mode, criteria) => {
    await using target = await rig();
    expect(await target.client.createSession({ workspace, ...request })).toMatchObject({
      sandbox_mode: sandbox,
      mode,
      done_criteria: criteria,
    });
  });

  test("may not tell their window", async () => {
    await using target = await rig({ contextWindow: null });
    expect(target.session).not.toHaveProperty("context_window");
  });
});

test.each(["mode", "exec", "done", "specs"])("an older daemon has no route %s", async (route) => {
  await using target = await rig({ missingRoutes: [route] });
  const { client, id } = target;
  const calls: Record<string, () => Promise<unknown>> = {
    mode: () => client.setMode(id, "plan"),
    exec: () => client.exec(id, "ls"),
    done: () => client.commitDone(id),
    specs: () => client.listSpecs(workspace),
  };
  expect(await refusal(calls[route]?.() ?? Promise.resolve())).toMatchObject({
    code: "unsupported",
  });
});

test("specs are measured unless the caller says no", async () => {
  const folder = { path: "specs/one", criteria: 2, unmet: 1, pending: true, measured: true };
  await using target = await rig({ specs: [folder] });
  expect(await target.client.listSpecs(workspace)).toEqual([folder]);
  expect(await target.client.listSpecs(workspace, { measure: false })).toEqual([
    { ...folder, unmet: 0, pending: false, measured: false },
  ]);
});

test("a proposed definition of done is written once, in a session that qualifies", async () => {
  const proposal = {
    proposal_id: "p1",
    turn_id: "t1",
    round: 1,
    criteria: [{ name: "tests", command: "pnpm test", exit_code: 0, class: "acceptance", exit: 1 }],
    expires_at: "0001-01-01T00:00:00Z",
  };
  await using target = await rig({
    script: [{ kind: "emit", type: "done.proposed", payload: proposal }],
  });
  const { client } = target;
  const session = await client.createSession({ workspace, loop_spec: "specs/one", qualify: true });
  await turn({ client, id: session.id }, "qualify");
  expect(await client.commitDone(session.id)).toMatchObject({ criteria: 1 });
  expect(await refusal(client.commitDone(session.id))).toMatchObject({ code: "invalid_input" });
});

describe("a fault", () => {
  const set = (target: Rig) => target.client.setMode(target.id, "plan", { timeoutMs: 200 });

  test("answers in the route's place, as often as it was told", async () => {
    await using target = await rig();
    target.daemon.failNext("POST mode", { kind: "answer", status: 503, body: "busy" }, 2);
    expect(await refusal(set(target))).toMatchObject({ code: "internal" });
    expect(await refusal(set(target))).toMatchObject({ code: "internal" });
    await set(target);
    expect((await target.client.getSession(target.id)).mode).toBe("plan");
  });

  test.each([
    ["break", "closed", "assist"],
    ["lose-answer", "closed", "plan"],
    ["hang", "timeout", "assist"],
  ] as const)(
    "%s leaves the caller with %s, and the session in mode %s",
    async (kind, code, mode) => {
      await using target = await rig();
      target.daemon.failNext("POST mode", { kind });
      expect(await refusal(set(target))).toMatchObject({ code });
      expect((await target.client.getSession(target.id)).mode).toBe(mode);
    },
  );
});
