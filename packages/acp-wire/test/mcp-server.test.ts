import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseMcpEnv, parseMcpServers, RpcError } from "../src/index.ts";

interface Vector {
  id: string;
  input: unknown;
  expect: { env: Record<string, string> } | { error: "shape" | "name"; index?: number };
}

const { cases } = JSON.parse(
  readFileSync(new URL("vectors/acp-mcp-env.json", import.meta.url), "utf8"),
) as { cases: Vector[] };

describe("the env of an MCP server", () => {
  it("has 52 vectors", () => expect(cases).toHaveLength(52));

  it.each(cases.map((vector) => [vector.id, vector] as const))("%s", (_, vector) => {
    const absent =
      typeof vector.input === "object" && vector.input !== null && "$undefined" in vector.input;
    const read = () => parseMcpEnv(absent ? undefined : vector.input);
    if ("env" in vector.expect) {
      expect({ ...read() }).toEqual(vector.expect.env);
      return;
    }
    const { error, index } = vector.expect;
    const message =
      error === "name"
        ? `env[${index}].name is required`
        : "env must be an array of {name,value} objects";
    expect(read).toThrow(new RpcError(-32602, message));
  });

  it("has no prototype that a name could reach", () => {
    expect(Object.getPrototypeOf(parseMcpEnv([{ name: "A", value: "1" }]))).toBeNull();
  });
});

describe("MCP servers", () => {
  const stdio = { name: "files", command: "mcp-files" };
  const http = {
    type: "http",
    name: "web",
    url: "http://127.0.0.1",
    headers: [{ name: "a", value: "b" }],
  };

  it.each([
    ["absent", undefined, []],
    ["null", null, []],
    ["stdio without args and env", [stdio], [{ type: "stdio", ...stdio, args: [], env: {} }]],
    [
      "stdio with the older env",
      [{ ...stdio, args: ["-v"], env: { A: "1" } }],
      [{ type: "stdio", ...stdio, args: ["-v"], env: { A: "1" } }],
    ],
    ["http", [http], [http]],
  ])("%s", (_, value, expected) => {
    expect(parseMcpServers(value, { http: true })).toEqual(expected);
  });

  it.each([
    ["no list", {}, "mcpServers must be an array"],
    ["no object", [5], "mcpServers[0] must be an object"],
    ["no name", [{ command: "x" }], "mcpServers[0].name is required"],
    ["a blank command", [stdio, { name: "x", command: " " }], "mcpServers[1].command is required"],
    [
      "args of another type",
      [{ ...stdio, args: [1] }],
      "mcpServers[0].args must be an array of strings",
    ],
    ["a transport that was not advertised", [http], 'mcpServers[0]: unsupported transport "http"'],
    [
      "a transport that nobody knows",
      [{ ...http, type: "smoke" }],
      'mcpServers[0]: unsupported transport "smoke"',
    ],
    ["a bad env", [{ ...stdio, env: [{ name: "" }] }], "env[0].name is required"],
  ])("%s is refused", (_, value, message) => {
    expect(() => parseMcpServers(value)).toThrow(new RpcError(-32602, message));
  });
});
