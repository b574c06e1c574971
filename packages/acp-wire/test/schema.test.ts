import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { SessionUpdateParams } from "../src/index.ts";
import * as exported from "../src/schema.ts";

type Name = keyof typeof exported;
const schemas = Object.fromEntries(Object.entries(exported)) as Record<Name, z.ZodType>;

const update = (value: object) => ({ sessionId: "s", update: value });

describe("the schemas", () => {
  it("give our types", () => {
    expectTypeOf<
      z.infer<typeof exported.sessionUpdateParamsSchema>
    >().toEqualTypeOf<SessionUpdateParams>();
  });

  it.each<[Name, unknown]>([
    [
      "sessionUpdateParamsSchema",
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } }),
    ],
    [
      "sessionUpdateParamsSchema",
      {
        ...update({ sessionUpdate: "vendor_thing", deep: { a: [1] } }),
        _meta: { a: 1 },
        more: true,
      },
    ],
    [
      "sessionUpdateParamsSchema",
      update({ sessionUpdate: "agent_message_chunk", content: { type: "hologram", data: 1 } }),
    ],
    [
      "sessionUpdateParamsSchema",
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "T",
        kind: "browser",
        status: "weird",
        vendor: { a: 1 },
      }),
    ],
    [
      "sessionUpdateParamsSchema",
      update({
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        title: null,
        content: [{ type: "diff", path: "/a", newText: "x" }],
      }),
    ],
    ["sessionUpdateParamsSchema", update({ sessionUpdate: "session_info_update", title: null })],
    ["sessionPromptResultSchema", { stopReason: "error", usage: { totalTokens: 1 } }],
    [
      "permissionRequestParamsSchema",
      {
        sessionId: "s",
        toolCall: { toolCallId: "t", rawInput: null },
        options: [{ optionId: "o", name: "O", kind: "allow_persistent" }],
      },
    ],
    ["permissionRequestResultSchema", { outcome: { outcome: "cancelled" } }],
    [
      "initializeResultSchema",
      {
        protocolVersion: 1,
        authMethods: [{ id: "k", name: "K", type: "env_var", varName: "KEY" }],
      },
    ],
    [
      "initializeParamsSchema",
      {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true }, vendor: 1 },
        clientInfo: null,
      },
    ],
    [
      "sessionNewParamsSchema",
      {
        cwd: "/",
        mcpServers: [
          { name: "a", command: "b", args: [], env: [] },
          { type: "http", name: "a", url: "u", headers: [] },
        ],
      },
    ],
    [
      "sessionNewResultSchema",
      {
        sessionId: "s",
        models: { currentModelId: "a", availableModels: [] },
        configOptions: [{ id: "x", name: "X", type: "slider", currentValue: 3 }],
      },
    ],
    [
      "sessionListResultSchema",
      { sessions: [{ sessionId: "s", cwd: "/", title: null }], nextCursor: null },
    ],
  ])("%s passes what it may not know, unchanged: %j", (name, value) => {
    expect(schemas[name].parse(value)).toEqual(value);
  });

  it.each<[Name, unknown]>([
    ["sessionUpdateParamsSchema", { update: { sessionUpdate: "plan", entries: [] } }],
    ["sessionUpdateParamsSchema", update({})],
    ["sessionUpdateParamsSchema", update({ sessionUpdate: 5 })],
    ["sessionUpdateParamsSchema", update({ sessionUpdate: "agent_message_chunk" })],
    [
      "sessionUpdateParamsSchema",
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: 5 } }),
    ],
    ["sessionUpdateParamsSchema", update({ sessionUpdate: "plan", entries: [{ content: "x" }] })],
    ["sessionUpdateParamsSchema", update({ sessionUpdate: "usage_update", used: "1", size: 2 })],
    ["contentBlockSchema", { type: "resource", resource: { uri: "a" } }],
    ["contentBlockSchema", "text"],
    ["configOptionSchema", { id: "x", name: "X", type: "boolean", currentValue: "yes" }],
    ["mcpServerSchema", { name: "a", command: "b", args: "c", env: [] }],
    ["sessionNewResultSchema", {}],
    ["permissionRequestResultSchema", { outcome: { outcome: "selected" } }],
    ["initializeResultSchema", { protocolVersion: "1" }],
  ])("%s refuses %j", (name, value) => {
    expect(schemas[name].safeParse(value).success).toBe(false);
  });

  it("take the whole golden wire", () => {
    const results = {
      initialize: "initializeResultSchema",
      "session/new": "sessionNewResultSchema",
      "session/prompt": "sessionPromptResultSchema",
    } as const;
    const params = {
      initialize: "initializeParamsSchema",
      "session/new": "sessionNewParamsSchema",
      "session/prompt": "sessionPromptParamsSchema",
      "session/update": "sessionUpdateParamsSchema",
      "session/request_permission": "permissionRequestParamsSchema",
    } as const;
    const asked = new Map<number, keyof typeof results>();
    const lines = readFileSync(new URL("golden/acpx-exec.jsonl", import.meta.url), "utf8")
      .trim()
      .split("\n");
    for (const line of lines) {
      const frame = JSON.parse(line) as {
        id: number;
        method?: keyof typeof params;
        params: unknown;
        result: { outcome?: unknown };
      };
      if (frame.method !== undefined) {
        if (frame.method in results) asked.set(frame.id, frame.method as keyof typeof results);
        expect(schemas[params[frame.method]].parse(frame.params)).toEqual(frame.params);
      } else {
        const method = asked.get(frame.id);
        const name =
          frame.result.outcome || !method ? "permissionRequestResultSchema" : results[method];
        expect(schemas[name].parse(frame.result)).toEqual(frame.result);
      }
    }
    expect(lines.length).toBeGreaterThan(10);
  });
});
