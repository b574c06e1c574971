import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { callDoor, type DoorAddress, type DoorCallOptions } from "./call-door.ts";
import { DOOR_TOOLS, doorTools } from "./door-contract.ts";

/** The MCP server of one session: each of its tools is the relay's. @param tools - Names of those that it has. */
export function createToolServer(
  address: DoorAddress,
  tools: readonly string[],
  options: DoorCallOptions = {},
): McpServer {
  const server = new McpServer({ name: "acp-kit", version: "1" });
  for (const tool of DOOR_TOOLS) {
    if (!tools.includes(tool)) continue;
    const { title, description, input } = doorTools[tool];
    const run = async (given: unknown): Promise<CallToolResult> => {
      const { text, isError = false } = await callDoor(address, tool, given, options);
      return { content: [{ type: "text", text }], isError };
    };
    server.registerTool(tool, { title, description, inputSchema: input }, run);
  }
  return server;
}
