import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findAgentRisks, findUnpinnedPackage } from "../src/agent-risks.ts";
import { temporaryDirectory } from "./support.ts";

const plain = { command: ["my-agent"], env: {}, envPass: [] };
const place = { env: {}, uid: 1000 };

describe("C1: an agent that can read what the relay can is said", () => {
  test.each<[string, object, boolean]>([
    ["without an identity of its own", {}, true],
    ["as the relay's user", { runAs: { uid: 1000, gid: 1000 } }, true],
    ["as another user", { runAs: { uid: 1001, gid: 1001 }, env: { HOME: "/home/agent" } }, false],
    ["in a wrapper", { wrapper: ["docker", "exec", "-i", "box"] }, false],
  ])("%s", async (_, more, isRisk) => {
    const risks = await findAgentRisks({ ...plain, ...more }, "/bin/sh", place);
    expect(risks.some((risk) => risk.includes("approve its own requests"))).toBe(isRisk);
  });

  test("another user without a home is said", async () => {
    const risks = await findAgentRisks({ ...plain, runAs: { uid: 1, gid: 1 } }, "/bin/sh", place);
    expect(risks).toEqual([expect.stringContaining("has no HOME")]);
  });
});

describe("C39: a command that fetches the newest version is said", () => {
  test.each<[string, string | undefined]>([
    ["npx -y @zed-industries/claude-code-acp@latest", "@zed-industries/claude-code-acp@latest"],
    ["npx @zed-industries/claude-code-acp", "@zed-industries/claude-code-acp"],
    ["/usr/bin/npx -y agent@^1.2.3", "agent@^1.2.3"],
    ["npx -p agent@next agent --acp", "agent@next"],
    ["npx --package=agent run", "agent"],
    ["npm exec agent", "agent"],
    ["pnpm dlx agent@1", "agent@1"],
    ["bunx agent", "agent"],
    ["uvx --from agent run", "agent"],
    ["npx -y @zed-industries/claude-code-acp@0.16.2", undefined],
    ["uvx agent==1.2.3", undefined],
    ["npx ./agent", undefined],
    ["npm start", undefined],
    ["claude-code-acp --model latest", undefined],
    ["npx", undefined],
  ])("%s", (command, found) => {
    expect(findUnpinnedPackage(command.split(" "))).toBe(found);
  });

  test("a program that everybody can write is said", async () => {
    const file = join(temporaryDirectory(), "agent");
    writeFileSync(file, "");
    for (const [mode, isRisk] of [
      [0o777, true],
      [0o755, false],
    ] as const) {
      chmodSync(file, mode);
      const risks = await findAgentRisks(plain, file, place);
      expect(risks.some((risk) => risk.includes("chmod o-w"))).toBe(isRisk);
    }
  });
});

test("variables that agents often want and this one does not get are named, and their values are not", async () => {
  const env = {
    ANTHROPIC_API_KEY: "planted",
    SSH_AUTH_SOCK: "/run/agent",
    https_proxy: "http://proxy",
    GIT_AUTHOR_NAME: "ana",
    POE_ACCESS_KEY: "planted",
    OPENAI_API_KEY: "planted",
  };
  const agent = { ...plain, envPass: ["SSH_AUTH_SOCK"], env: { OPENAI_API_KEY: "own" } };
  const risks = await findAgentRisks(agent, "/bin/sh", { env, uid: 1000 });
  expect(risks.at(-1)).toBe(
    'it does not get ANTHROPIC_API_KEY, GIT_AUTHOR_NAME, https_proxy; name in "envPass" those that it needs',
  );
  expect(risks.join()).not.toContain("planted");
});
