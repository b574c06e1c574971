import { ErrorCode, RpcError } from "../errors.ts";

/** Environment of an MCP server, by name. Made without a prototype: any name is only a name. */
export type McpEnv = { readonly [name: string]: string };

/** An MCP server that the client asks the agent to use, checked. */
export type McpServerSpec =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: McpEnv;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: readonly { readonly name: string; readonly value: string }[];
    };

/** Names that would reach an object's prototype where somebody assigns them carelessly. */
const DROPPED = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads the `env` of an MCP server: ACP's list of `{name, value}`, or the older map. Null and
 * absent are empty, an entry without value is the empty string, the last of a name wins.
 *
 * @throws RpcError -32602 naming the entry whose name is blank, or the shape that is expected
 */
export function parseMcpEnv(value: unknown): McpEnv {
  const env = new Map<string, string>();
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (!isObject(entry)) throw wrongShape();
      const { name = "", value = "" } = entry;
      if (typeof name !== "string" || typeof value !== "string") throw wrongShape();
      if (name.trim() === "") throw invalid(`env[${index}].name is required`);
      env.set(name, value);
    }
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== "string") throw wrongShape();
      env.set(name, member);
    }
  } else if (value !== undefined && value !== null) throw wrongShape();
  const entries = [...env].filter(([name]) => !DROPPED.has(name));
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as McpEnv;
}

/**
 * Reads the `mcpServers` of session/new, load and resume. Absent is none.
 *
 * @param accepts - Which transports besides stdio the agent has advertised.
 * @throws RpcError -32602
 */
export function parseMcpServers(
  value: unknown,
  accepts: { http?: boolean; sse?: boolean } = {},
): McpServerSpec[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid("mcpServers must be an array");
  return value.map((server, index) => parseMcpServer(server, `mcpServers[${index}]`, accepts));
}

function parseMcpServer(
  value: unknown,
  where: string,
  accepts: { http?: boolean; sse?: boolean },
): McpServerSpec {
  if (!isObject(value)) throw invalid(`${where} must be an object`);
  const type = value["type"] ?? "stdio";
  const name = requireText(value["name"], `${where}.name`);
  if (type === "stdio") {
    const command = requireText(value["command"], `${where}.command`);
    const args = value["args"] ?? [];
    if (!Array.isArray(args) || args.some((arg) => typeof arg !== "string")) {
      throw invalid(`${where}.args must be an array of strings`);
    }
    return { type, name, command, args: args as string[], env: parseMcpEnv(value["env"]) };
  }
  if ((type === "http" && accepts.http) || (type === "sse" && accepts.sse)) {
    const url = requireText(value["url"], `${where}.url`);
    const headers = Object.entries(parseMcpEnv(value["headers"]));
    return { type, name, url, headers: headers.map(([name, value]) => ({ name, value })) };
  }
  throw invalid(`${where}: unsupported transport ${JSON.stringify(type)}`);
}

function requireText(value: unknown, where: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalid(`${where} is required`);
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrongShape(): RpcError {
  return invalid("env must be an array of {name,value} objects");
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, message);
}
