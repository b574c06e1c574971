import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkBearer,
  findQueryProblem,
  lastUserMessage,
  type PoeRequest,
  type ProtocolMessage,
  parsePoeRequest,
  UNAUTHORIZED,
} from "../src/index.ts";
import { readVectors } from "./vectors.ts";

type Vector = {
  id: string;
  authorization?: string | null;
  body?: unknown;
  body_text?: string;
  expect: {
    status: number;
    request?: Record<string, unknown>;
    problem?: string;
    dropped?: boolean;
  };
};

const vectors = readVectors<{ access_key: string; cases: Vector[] }>("poe-requests.json");

/** The order in which a server asks: key, body, type. */
function answer(authorization: string | null | undefined, body: unknown) {
  if (!checkBearer(authorization, [vectors.access_key])) return { status: UNAUTHORIZED.status };
  const request = parsePoeRequest(body);
  if ("refusal" in request) return { status: request.refusal.status };
  return { status: 200, request };
}

function essentials(request: PoeRequest): Record<string, unknown> {
  if (request.type !== "query") return { ...request };
  const last = lastUserMessage(request);
  return {
    ...request,
    roles: request.query.map((message) => message.role),
    last_user: last && {
      ...last,
      index: request.query.indexOf(last),
      referenced_depth: depthOf(last),
    },
  };
}

function depthOf(message: ProtocolMessage): number {
  let depth = 0;
  for (let at = message.referenced_message; at !== null; at = at.referenced_message) depth += 1;
  return depth;
}

/** Compares the keys that a vector lists, each of them whole. */
function expectListed(actual: Record<string, unknown> | undefined, listed: object): void {
  for (const [key, value] of Object.entries(listed)) {
    if (key === "last_user") expectListed(actual?.[key] as Record<string, unknown>, value);
    else expect(actual?.[key], key).toStrictEqual(value);
  }
}

function query(...messages: unknown[]) {
  const request = parsePoeRequest({ type: "query", query: messages });
  if (request.type !== "query") throw new Error(request.type);
  return request;
}

describe("golden vectors", () => {
  it.each(vectors.cases)("$id", ({ authorization, body, body_text, expect: wanted }) => {
    const header = authorization === undefined ? `Bearer ${vectors.access_key}` : authorization;
    for (const sent of body_text === undefined ? [body, JSON.stringify(body)] : [body_text]) {
      const { status, request } = answer(header, sent);
      expect(status).toBe(wanted.status);
      if (wanted.request) expectListed(request && essentials(request), wanted.request);
      if (request?.type === "query") expect(findQueryProblem(request)).toBe(wanted.problem);
      if (request?.type === "report_reaction") {
        expect(request.reaction === "").toBe(wanted.dropped === true);
      }
    }
  });
});

describe("refusals", () => {
  it.each([
    ["{", 400, "The body is not JSON"],
    ["[]", 400, "The body is not a JSON object"],
    ["{}", 400, "The request has no type"],
    ['{"type":"report_weather"}', 501, "Unsupported request type"],
  ])("%s is answered with a status, a content type and a reason", (body, status, detail) => {
    const request = parsePoeRequest(body);
    if (!("refusal" in request)) throw new Error(request.type);
    expect(request.refusal).toEqual({
      status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ detail }),
    });
  });

  it("an unknown request keeps its name, for the log", () => {
    expect(parsePoeRequest({ type: "report_weather" })).toMatchObject({ name: "report_weather" });
  });
});

describe("untrusted JSON", () => {
  it("never throws and always has a known type, whatever JSON is sent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue({ maxDepth: 6 }), arbitraryRequest()), (json) => {
        for (const body of [json, JSON.stringify(json)]) {
          const request = parsePoeRequest(body);
          expect(KNOWN_TYPES).toContain(request.type);
          if (request.type === "query") findQueryProblem(request);
        }
      }),
    );
  });

  it("never throws on any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(KNOWN_TYPES).toContain(parsePoeRequest(text).type);
      }),
    );
  });

  it.each([
    ["parameters", '{"level":', /"level"/g, 127],
    ["referenced_message", '{"role":"user","referenced_message":', /"role"/g, 129],
  ])("%s nested a hundred thousand levels deep is cut", (key, open, level, levels) => {
    const deep = `${open.repeat(100_000)}null${"}".repeat(100_000)}`;
    const request = parsePoeRequest(
      `{"type":"query","query":[{"role":"user","content":"hi","${key}":${deep}}]}`,
    );
    if (request.type !== "query") throw new Error(request.type);
    const message = lastUserMessage(request);
    expect(message?.content).toBe("hi");
    expect(JSON.stringify(message).match(level)).toHaveLength(levels);
  });

  it("own __proto__ keys are dropped at every depth of what is passed through", () => {
    const evil = '{"__proto__":{"polluted":1},"list":[{"__proto__":{"polluted":1},"b":2}]}';
    const body = `{"type":"query","query":[{"role":"user","content":"","parameters":${evil}}],
      "tools":[${evil}],"extra_params":${evil},"logit_bias":${evil}}`;
    const request = parsePoeRequest(body);
    if (request.type !== "query") throw new Error(request.type);
    const parameters = lastUserMessage(request)?.parameters ?? {};
    expect(JSON.stringify(request)).not.toContain("polluted");
    expect(parameters).toEqual({ list: [{ b: 2 }] });
    expect(parameters["polluted"], "not inherited either").toBeUndefined();
    expect(request.tools).toEqual([{ list: [{ b: 2 }] }]);
  });

  it("keys that a request does not have are not read from a prototype", () => {
    expect(parsePoeRequest('{"__proto__":{"type":"settings"}}').type).toBe("malformed");
  });
});

describe("queries", () => {
  it("a newest message without readable content is kept: an older one is not answered again", () => {
    const request = query({ role: "user", content: "old" }, { role: "user", content: null });
    expect(lastUserMessage(request)?.content).toBe("");
    expect(findQueryProblem(request)).toBe("empty-user-message");
  });

  it("two numeric ids that JSON cannot tell apart read as no id, not as one", () => {
    const body = '{"type":"query","conversation_id":90071992547409931,"user_id":-1.5}';
    expect(parsePoeRequest(body)).toMatchObject({ conversation_id: "", user_id: "-1.5" });
  });

  it("the keys that may hold a secret are not read", () => {
    const request = parsePoeRequest({ type: "query", api_key: "s3cret", access_key: "s3cret" });
    expect(JSON.stringify(request)).not.toContain("s3cret");
  });

  it("every other field of a query and of a message is read", () => {
    const message = {
      role: "bot",
      content: "c",
      content_type: "text/plain",
      message_id: "m",
      parameters: { p: [1] },
      attachments: [
        { url: "u", content_type: "t", name: "n", inline_ref: "r", parsed_content: "p" },
      ],
      feedback: [{ type: "like", reason: "good" }],
      reactions: [{ user_id: "u", reaction: "heart" }],
      timestamp: 5,
      metadata: "d",
      message_type: "function_call",
      sender: { id: "u", name: "Ana" },
      sender_id: "u",
    };
    const full = {
      type: "query",
      version: "1.2",
      query: [{ ...message, referenced_message: { ...message, referenced_message: null } }],
      user_id: "u",
      conversation_id: "c",
      message_id: "m",
      metadata: "d",
      language_code: "de",
      bot_query_id: "b",
      users: [{ id: "u", name: "Ana" }],
      temperature: 0.5,
      skip_system_prompt: true,
      logit_bias: { "1": -100 },
      stop_sequences: ["\n"],
      adopt_current_bot_name: false,
      tools: [{ type: "custom", custom: { name: "f" } }],
      tool_calls: [{ id: "t" }],
      tool_results: [{ tool_call_id: "t" }],
      query_creation_time: 7,
      extra_params: { a: null },
    };
    expect(parsePoeRequest(full)).toEqual(full);
  });
});

const KNOWN_TYPES = [
  "query",
  "settings",
  "report_feedback",
  "report_reaction",
  "report_error",
  "unknown",
  "malformed",
];

/** Right keys, wrong values: most random JSON would be refused before anything is read. */
function arbitraryRequest() {
  const any = fc.jsonValue({ maxDepth: 2 });
  const { message } = fc.letrec<{ message: unknown }>((tie) => ({
    message: fc.record(
      {
        role: fc.oneof(fc.constantFrom("user", "bot"), any),
        content: any,
        content_type: any,
        message_id: any,
        parameters: any,
        attachments: fc.oneof(any, fc.array(fc.record({ url: any, name: any }))),
        feedback: fc.array(any),
        sender: fc.record({ id: any }),
        referenced_message: fc.oneof({ depthSize: "small" }, any, tie("message")),
      },
      { requiredKeys: [] },
    ),
  }));
  return fc.record(
    {
      type: fc.constantFrom(...KNOWN_TYPES),
      query: fc.oneof(fc.array(message), any),
      user_id: any,
      conversation_id: any,
      reaction: any,
      action: any,
      tools: any,
      extra_params: any,
      metadata: any,
    },
    { requiredKeys: ["type"] },
  );
}
