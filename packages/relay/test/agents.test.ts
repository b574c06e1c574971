import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgents, findAgentPrograms } from "../src/agents.ts";
import { createLog } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { rejection, temporaryDirectory } from "./support.ts";

test("an agent starts in a directory of its own, without the relay's secrets, with what it was given", async () => {
  const stateDir = temporaryDirectory();
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLog({ level: "debug", write, redactor: new Redactor() });
  const command = ["sh", "-c", "env > env.txt; printf '\\033[2Jcannot start\\n' >&2; exit 3"];
  const agents = { broken: { command, env: { OWN: "own" }, envPass: ["PASSED"] } };
  const env = {
    PATH: process.env["PATH"],
    HOME: "/home/ana",
    PASSED: "passed",
    POE_ACCESS_KEY: "k".repeat(32),
  };
  const supervisors = await createAgents({
    settings: { agents },
    programs: await findAgentPrograms(agents, env.PATH),
    env,
    stateDir,
    client: { name: "poe-relay", version: "1.0.0" },
    log,
  });
  const agent = supervisors.get("broken");
  onTestFinished(() => agent?.[Symbol.asyncDispose]());
  await rejection(agent?.ready() ?? Promise.resolve());
  const seen = readFileSync(join(stateDir, "agents/broken/env.txt"), "utf8");
  expect(seen).toMatch(/^OWN=own$/m);
  expect(seen).toMatch(/^PASSED=passed$/m);
  expect(seen).toMatch(/^HOME=\/home\/ana$/m);
  expect(seen).not.toContain("POE_ACCESS_KEY");
  // C28: what the agent prints reaches a log without its escape sequences.
  const printed = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "agent stderr");
  expect(printed).toMatchObject({ agent: "broken", line: "cannot start" });
});

test("a program is looked up in PATH, and one that is not there is said with the agent's name", async () => {
  const agent = (program: string) => ({ a: { command: [program], env: {}, envPass: [] } });
  expect((await findAgentPrograms(agent("sh"), "/nowhere:/bin")).get("a")).toBe("/bin/sh");
  expect((await findAgentPrograms(agent("/bin/sh"), "")).get("a")).toBe("/bin/sh");
  for (const [program, why] of [
    ["no-such-program", "is not on PATH"],
    ["/bin", "is no executable file"],
    ["./no-such-program", "is no executable file"],
  ] as const) {
    expect(await rejection(findAgentPrograms(agent(program), "/bin"))).toMatchObject({
      code: "config",
      message: `agent "a": ${program} ${why}; install it, or give the path of its program`,
    });
  }
});
