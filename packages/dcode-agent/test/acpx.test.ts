import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type DcodeStep, type DcodeTurn, demoDcodeScript, FakeDcode } from "@acp-kit/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODE, program } from "./rig.ts";

/** A client that is not ours and not a library: a command line over the ACP SDK 0.14. */
const ACPX = join(
  dirname(createRequire(import.meta.url).resolve("acpx/package.json")),
  "dist/cli.js",
);

function* script(turn: DcodeTurn): Generator<DcodeStep, void> {
  if (turn.text !== "wait") return yield* demoDcodeScript(turn);
  yield { kind: "say", text: "Waiting." };
  yield { kind: "wait", gate: "never" };
}

let home: string;
let daemon: FakeDcode;
let agent: string;
beforeAll(async () => {
  daemon = await FakeDcode.start({ script });
  home = mkdtempSync(join(tmpdir(), "dcode-acpx-"));
  writeFileSync(join(home, "README.md"), "# Readme\n");
  const state = join(home, "state");
  agent = [...NODE, program, "--socket", daemon.socketPath, "--state", state].join(" ");
});
afterAll(async () => {
  await acpx("sessions", "close");
  await daemon[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function start(args: readonly string[]): ChildProcess {
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

/** The wire as acpx saw it, with what differs from run to run replaced. */
function maskWire(stdout: string): string {
  return stdout
    .replaceAll(home, "HOME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "SESSION")
    .replaceAll(daemon.sessions.at(-1)?.id ?? "none", "DCODE")
    .replaceAll(/"version":"\d+\.\d+\.\d+"/g, '"version":"VERSION"')
    .replaceAll(/"20\d\d-\d\d-\d\dT[^"]+"/g, '"TIME"');
}

describe("acpx", () => {
  it("exec sees the golden wire", async () => {
    const { code, stdout } = await acpx("--approve-all", "--format", "json", "exec", "ask me");
    expect(code).toBe(0);
    await expect(maskWire(stdout)).toMatchFileSnapshot("golden/acpx-exec.jsonl");
  }, 60_000);

  it("exec with everything allowed and with everything denied sends dcode these answers", async () => {
    const allowed = await acpx("--approve-all", "--format", "quiet", "exec", "ask me");
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") });
    const denied = await acpx("--deny-all", "--format", "quiet", "exec", "ask me");
    // Its way of saying that a permission was denied.
    expect(denied).toMatchObject({ code: 5, stdout: expect.stringContaining("Done.") });
    const answers = daemon.requests.filter(({ path }) => path.includes("/approvals/"));
    const decisions = answers.map(({ body }) => JSON.parse(body).decision);
    expect(decisions.slice(-2)).toEqual(["allow", "deny"]);
  }, 60_000);

  it("keeps a session: new, listed, prompted twice, a mode set, cancelled, closed", async () => {
    const created = await acpx("sessions", "new");
    expect(created.code).toBe(0);
    const id = created.stdout.trim();
    expect((await acpx("sessions")).stdout).toContain(id);
    const opened = daemon.sessions.length;
    for (const said of ["first", "second"]) {
      const { stdout } = await acpx("--approve-all", "--format", "quiet", "prompt", said);
      expect(stdout).toContain(`You said: ${said}. Done.`);
    }
    // Both prompts went to the session of before.
    expect(daemon.sessions).toHaveLength(opened);
    expect(await acpx("set-mode", "plan")).toEqual({
      code: 0,
      stdout: expect.stringContaining("plan"),
    });
    expect(daemon.sessions.at(-1)?.mode).toBe("plan");

    const waiting = start(["--approve-all", "prompt", "wait"]);
    let stdout = "";
    const said = Promise.withResolvers<void>();
    waiting.stdout?.on("data", (chunk) => {
      stdout += String(chunk);
      if (stdout.includes("Waiting.")) said.resolve();
    });
    const closed = new Promise((resolve) => waiting.on("close", resolve));
    await said.promise;
    expect((await acpx("cancel")).stdout).toContain("cancel requested");
    expect(await closed).toBe(0);
    expect(stdout).toContain("[done] cancelled");
    expect(daemon.requests.filter(({ path }) => path.endsWith("/interrupt"))).toHaveLength(1);
    expect((await acpx("sessions", "close")).code).toBe(0);
  }, 120_000);
});
