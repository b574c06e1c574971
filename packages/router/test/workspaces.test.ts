import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createRouter, MemoryStore } from "../src/index.ts";
import { message } from "./agent-rig.ts";
import { PlainAgent } from "./plain-agent.ts";

test("a conversation works in the same directory in every life of the relay", async () => {
  const stateDir = mkdtempSync(path.join(tmpdir(), "workspaces-"));
  const store = new MemoryStore();
  const places: (string | undefined)[] = [];
  for (const agent of [new PlainAgent(), new PlainAgent()]) {
    await using router = createRouter({ agent, store, stateDir });
    const posted = await router.submit("c/../d", message("hello"));
    for await (const _ of router.log("c/../d").follow(posted, AbortSignal.timeout(5_000)));
    places.push((await router.debug())[0]?.cwd);
  }
  rmSync(stateDir, { recursive: true, force: true });
  expect(places[0]).toMatch(/\/convs\//);
  expect(places[1]).toBe(places[0]);
});
