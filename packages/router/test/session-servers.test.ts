import { expect, onTestFinished, test } from "vitest";
import type { RouterConfig, SessionServers } from "../src/index.ts";
import { AgentRig } from "./agent-rig.ts";

type Opened = { readonly cwd: string; readonly mcpServers: readonly { readonly name: string }[] };

/** A rig whose sessions get a server that is named after how often one was asked for. */
function createRig(script: object = { prompt: [] }, config: Partial<RouterConfig> = {}) {
  const calls: string[] = [];
  let count = 0;
  const sessionServers: SessionServers = {
    open(conversation, agent, isNew) {
      calls.push(`open ${conversation}${agent} ${isNew ? "new" : "again"}`);
      count += 1;
      return [{ name: `server-${count}`, command: "x", args: [], env: [] }];
    },
    close: (conversation, agent) => void calls.push(`close ${conversation}${agent}`),
  };
  const rig = new AgentRig(script, { sessionServers, ...config });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const namesIn = (method: string) =>
    (rig.received(method) as Opened[]).map(({ mcpServers }) => mcpServers.map(({ name }) => name));
  return { rig, calls, namesIn };
}

test("each session has servers of its own, although two conversations work in one directory", async () => {
  const workspace = { cwd: process.cwd(), roots: [], filesDir: "/x" };
  const { rig, namesIn, calls } = createRig(undefined, { workspaceFor: () => workspace });
  await rig.run("a", { conversation: "c" });
  await rig.run("b", { conversation: "d" });
  await rig.run("a", { conversation: "c" });
  expect(namesIn("session/new")).toEqual([["server-1"], ["server-2"]]);
  expect(calls).toEqual(["open c new", "open d new"]);
});

test("a session that is opened again gets servers again, and is known not to be new", async () => {
  const exit = { kind: "when", says: "die", steps: [{ kind: "exit" }] };
  const { rig, namesIn, calls } = createRig({ prompt: [exit] });
  await rig.run("die");
  await rig.run("live");
  expect(namesIn("session/resume")).toEqual([["server-2"]]);
  expect(calls).toEqual(["open c new", "open c again"]);
});

test("servers are void once the session is closed, and once it is forgotten", async () => {
  const { rig, calls } = createRig();
  await rig.run("a");
  await rig.router.submit("c", { kind: "reset", key: "r", user: "ana", at: 1 });
  await rig.run("b");
  expect(calls[0]).toBe("open c new");
  expect(calls.slice(1, -1)).toContain("close c");
  expect(calls.at(-1)).toBe("open c new");
});

test("a session is opened without servers when they cannot be had, and that is reported", async () => {
  const { rig, namesIn } = createRig(undefined, {
    sessionServers: {
      open() {
        throw new Error("locked");
      },
      close() {},
    },
  });
  await rig.run("a");
  expect(namesIn("session/new")).toEqual([[]]);
  expect(rig.reports).toContainEqual(
    expect.objectContaining({ kind: "failure", what: "mcp servers" }),
  );
});
