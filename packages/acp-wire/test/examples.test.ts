import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseMeta } from "@acp-kit/statusline";
import { describe, expect, it } from "vitest";
import { Listener, startAgent } from "./agents.ts";

const run = promisify(execFile);
const NODE = [process.execPath, "--conditions=@acp-kit/source"];
const example = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
const lines = (name: string) => readFileSync(example(name), "utf8").trimEnd().split("\n");

describe("the examples", () => {
  it("client and agent talk", async () => {
    const [node = "", ...flags] = NODE;
    const args = [...flags, example("client.ts"), "hello", ...NODE, example("agent.ts")];
    const { stdout } = await run(node, args);
    expect(stdout.trim().split("\n").slice(1)).toEqual([
      'agent_message_chunk {"type":"text","text":"HELLO"}',
      "end_turn",
    ]);
  }, 30_000);

  it("the proxy between them changes nothing, and logs the wire both ways", async () => {
    const [node = "", ...flags] = NODE;
    const proxied = [...NODE, example("proxy.ts"), ...NODE, example("agent.ts")];
    const args = [...flags, example("client.ts"), "hello", ...proxied];
    const { stdout } = await run(node, args);
    expect(stdout).toContain('{"type":"text","text":"HELLO"}');
    const agent = await startAgent("../../examples/proxy.ts", [...NODE, example("agent.ts")]);
    await agent[Symbol.asyncDispose]();
    const { stderrTail } = await agent.exited;
    expect(stderrTail).toContain('out {"jsonrpc":"2.0","id":1,"method":"initialize"');
    expect(stderrTail).toContain('in {"jsonrpc":"2.0","id":1,"result"');
  }, 30_000);

  it("the status line agent tells its status beside its updates, and takes it back", async () => {
    await using agent = await startAgent("../../examples/status-line-agent.ts");
    expect(agent.capabilities._meta).toHaveProperty(["dev.acp-kit.status-line/v1"]);
    const listener = new Listener();
    const { sessionId } = await agent.newSession("/tmp", listener);
    await agent.prompt(sessionId, [{ type: "text", text: "go" }]);
    const told = listener.updates.map(({ _meta }) => parseMeta(_meta));
    expect(told.map(({ mood, plan }) => `${mood} ${plan}`)).toEqual([
      "focused 0/3",
      "focused 1/3",
      "focused 2/3",
      "happy 3/3",
      " ",
    ]);
    expect(told.every(({ ok }) => ok)).toBe(true);
  }, 30_000);

  it.each([
    ["client.ts", 15],
    ["agent.ts", 20],
    ["proxy.ts", 12],
  ])("%s is as short as the README says", (name, most) => {
    expect(lines(name).length).toBeLessThanOrEqual(most);
  });

  it("the guide for agent authors shows the example that runs here", () => {
    const guide = new URL("../../../docs/emitting-the-status-line.md", import.meta.url);
    expect(readFileSync(guide, "utf8")).toContain(
      `\`\`\`ts\n${lines("status-line-agent.ts").join("\n")}\n\`\`\``,
    );
  });
});
