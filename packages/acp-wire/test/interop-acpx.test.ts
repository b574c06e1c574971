import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentFile } from "./agents.ts";
import { check } from "./wire-check.ts";

/** A client that is not ours and not a library: a command line over the ACP SDK 0.14. */
const ACPX = join(
  dirname(createRequire(import.meta.url).resolve("acpx/package.json")),
  "dist/cli.js",
);

let home: string;
let agent: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "acp-wire-acpx-"));
  const served = agentFile("served-agent.ts");
  agent = `${process.execPath} --conditions=@acp-kit/source ${served} ${join(home, "store")}`;
});
afterAll(async () => {
  await acpx("sessions", "close");
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

function start(args: string[]): ChildProcess {
  return spawn(process.execPath, [ACPX, "--ttl", "1", "--agent", agent, ...args], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
  });
}

async function acpx(...args: string[]): Promise<{ code: number | null; stdout: string }> {
  const child = start(args);
  let stdout = "";
  child.stdout?.on("data", (chunk) => {
    stdout += String(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout };
}

type Frame = { id?: number; method?: string; params?: unknown; result?: unknown };

/** The wire as acpx saw it, with what differs from run to run replaced. */
function parseWire(stdout: string): Frame[] {
  const masked = stdout
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "SESSION")
    .replaceAll(home, "HOME");
  return masked
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Frame);
}

describe("acpx", () => {
  it("exec sees the golden wire, and every frame of the agent in it is valid", async () => {
    const { code, stdout } = await acpx("--approve-all", "--format", "json", "exec", "hello world");
    expect(code).toBe(0);
    const wire = parseWire(stdout);
    const golden = readFileSync(new URL("golden/acpx-exec.jsonl", import.meta.url), "utf8");
    expect(wire).toEqual(
      golden
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Frame),
    );
    const asked = ["initialize", "session/new", "session/prompt"];
    for (const { id, method, params, result } of wire) {
      if (method === "session/update" || method === "session/request_permission") {
        check(`${method} params`, params);
      } else if (result !== undefined && !("outcome" in (result as object))) {
        check(`${asked[id ?? -1]} result`, result);
      }
    }
  }, 60_000);

  it("exec with everything denied goes on without", async () => {
    const { code, stdout } = await acpx("--deny-all", "--format", "quiet", "exec", "hello world");
    expect(stdout).toContain("Not allowed: hello world");
    // Its way of saying that a permission was denied.
    expect(code).toBe(5);
  }, 60_000);

  it("keeps a session: new, listed, a mode set, prompted, cancelled", async () => {
    const created = await acpx("sessions", "new");
    const id = created.stdout.trim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await acpx("sessions")).stdout).toContain(id);
    expect((await acpx("--approve-all", "--format", "quiet", "prompt", "first")).stdout).toContain(
      "Done in ask: first",
    );
    expect(await acpx("set-mode", "code")).toEqual({
      code: 0,
      stdout: expect.stringContaining("code"),
    });

    const waiting = start(["--approve-all", "prompt", "wait"]);
    let stdout = "";
    const said = Promise.withResolvers<void>();
    waiting.stdout?.on("data", (chunk) => {
      stdout += String(chunk);
      if (stdout.includes("waiting")) said.resolve();
    });
    const closed = new Promise((resolve) => waiting.on("close", resolve));
    await said.promise;
    expect((await acpx("cancel")).stdout).toContain("cancel requested");
    expect(await closed).toBe(0);
    expect(stdout).toContain("[done] cancelled");
  }, 60_000);
});
