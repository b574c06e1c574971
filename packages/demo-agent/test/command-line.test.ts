import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demoAgentCommand } from "../src/command.ts";
import { scenarios } from "../src/scenarios.ts";
import { temporaryDirectory } from "./start-agent.ts";

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the agent with an empty input. */
function run(args: readonly string[]): Promise<Run> {
  const [command = "", ...rest] = demoAgentCommand(args);
  return new Promise((resolve) => {
    const child = execFile(command, rest, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

describe("acp-demo-agent", () => {
  test("with an empty input ends at once, in silence", async () => {
    expect(await run([])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("--help names every scenario", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(Object.keys(scenarios).join(", "));
  });

  test("--version is the package's", async () => {
    expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.for<[string[], string]>([
    [["--scenario", "nope"], 'There is no scenario "nope"; there are demo, echo,'],
    [["--scenario", "toString"], 'There is no scenario "toString"'],
    [["--script", "/nowhere.json"], "--script /nowhere.json: ENOENT"],
    [["--script", "/x", "--scenario", "demo"], "Give --script or --scenario, not both."],
    [["--speed", "fast"], '--speed should be a number above 0, not "fast".'],
    [["--speed", "0"], "--speed should be a number above 0"],
    [["--sped", "2"], "Unknown option '--sped'"],
    [["--record", "/nowhere/record"], "ENOENT"],
  ])("%j says what is wrong in one line and exits with 1", async ([args, reason]) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(`acp-demo-agent: `);
    expect(stderr).toContain(reason);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("names the place of a mistake in a script file", async () => {
    const file = join(temporaryDirectory(), "script.json");
    writeFileSync(file, '[{"kind":"wait","ms":"long"}]');
    const { stderr } = await run(["--script", file]);
    expect(stderr).toContain(`${file}: prompt[0] (wait).ms should be milliseconds`);
  });
});
