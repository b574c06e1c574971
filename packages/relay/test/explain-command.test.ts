import { readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { KEY, RelayRun, relayRoot } from "./relay-run.ts";

const demoAgent = fileURLToPath(new URL("../../demo-agent/src/main.ts", import.meta.url));

/** A relay whose agent says something to stderr and dies, or does what is given, as a process of its own; and its command line. */
async function dyingRelay(...last: readonly object[]) {
  const root = relayRoot();
  const script = join(root, "script.json");
  const toolCall = { toolCallId: "1", title: "Look", kind: "execute", rawInput: { command: "ls" } };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const steps = [
    { kind: "ask", toolCall, options },
    { kind: "print", to: "stderr", text: "planted /srv/secret" },
    ...(last.length > 0 ? last : [{ kind: "exit", code: 7 }]),
  ];
  writeFileSync(script, JSON.stringify({ prompt: steps }));
  const config = join(root, "relay.jsonc");
  const command = [process.execPath, "--conditions=@acp-kit/source", demoAgent, "--script", script];
  const settings = {
    bots: { shop: { surface: "poe", accessKeys: [KEY] } },
    agents: { demo: { command } },
    workspaces: { scratch: { isolation: "scratch", permissions: "allow" } },
    access: [{ users: ["u-ana"], role: "operator" }],
    log: { level: "debug" },
    stateDir: join(root, "state"),
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const start = async () => {
    const relay = new RelayRun(root, ["start", "--port", "0", "--config", config]);
    const [, url = ""] = await relay.says(/^ {2}(http:\S+) {2}bot shop/m);
    return { relay, url };
  };
  const run = async (...args: string[]) => {
    const command = new RelayRun(root, [...args, "--config", config]);
    const code = await command.ends();
    return { code, stdout: command.stdout, stderr: command.stderr };
  };
  return { ...(await start()), start, run, stateDir: settings.stateDir };
}

test("C24: the chat shows a reference, and explain tells the operator what is behind it, also when no relay runs", async () => {
  const { relay, url, run } = await dyingRelay();
  const headers = { "x-user": "u-ana", "x-prompt": "hello" };
  const answer = await (await fetch(url, { method: "POST", headers })).text();
  const [, ref = ""] = /\(ref (\w{4})\)/.exec(answer) ?? [];
  expect(ref).toMatch(/^\w{4}$/);
  expect(answer).not.toContain("planted");
  expect(relay.stderr).toContain(`"ref":"${ref}"`);

  const running = await run("explain", ref);
  relay.child.kill("SIGTERM");
  await relay.ends();
  const stopped = await run("explain", `ref ${ref.toLowerCase()}`);
  for (const { code, stdout } of [running, stopped]) {
    expect(code).toBe(0);
    expect(stdout).toContain(`ref ${ref}  failed: turn (agent_exited)`);
    expect(stdout).toContain("planted /srv/secret");
    expect(stdout).toContain("To change it: ");
  }
  const { stdout } = await run("explain", ref, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ failed: [{ ref, code: "agent_exited" }] });
  expect((await run("explain", "m-nobody")).stdout).toMatch(/^Nothing is known about m-nobody/);
}, 90_000);

test("C38: what a policy answers and what the console decides is in the audit log, which the command line looks at and prints", async () => {
  const { relay, url, run } = await dyingRelay();
  const headers = { "x-user": "u-ana", "x-prompt": "hello" };
  await (await fetch(url, { method: "POST", headers })).text();
  relay.child.kill("SIGTERM");
  await relay.ends();
  expect((await run("pause", "for", "now")).code).toBe(0);
  const verified = await run("audit", "verify");
  expect(verified.stdout).toMatch(/^The audit log is whole: 2 entries\.\n/);
  expect(verified.code).toBe(0);
  const wrong = await run("audit", "verify", "--head", "0".repeat(64));
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/^poe-relay: the audit log has been changed/);
  const { stdout } = await run("audit", "list", "--json");
  const entries = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(entries).toMatchObject([
    { what: "question execute", decision: "allow_once", agent: "demo", project: "scratch" },
    { what: "pause", decision: "paused", role: "console" },
  ]);
}, 90_000);

test("C24: a turn that died with the relay has a reference, which explain knows", async () => {
  const { relay, url, start, run, stateDir } = await dyingRelay({ kind: "wait" });
  const headers = { "x-user": "u-ana", "x-prompt": "hello" };
  const cut = fetch(url, { method: "POST", headers }).catch(() => undefined);
  await relay.says(/planted/, "stderr");
  const serving = Number.parseInt(readlinkSync(join(stateDir, "door", "current")), 10);
  relay.child.kill("SIGKILL");
  process.kill(serving, "SIGKILL");
  await Promise.all([relay.ends(), cut]);

  const { relay: next } = await start();
  const [line] = await next.says(/^.*"something failed".*$/m, "stderr");
  const { ref, what } = JSON.parse(line) as { ref: string; what: string };
  expect(what).toBe("turn");
  const { stdout } = await run("explain", ref);
  expect(stdout).toContain(`ref ${ref}  failed: turn (interrupted)`);
  expect(stdout).toContain("died in the middle of the turn");
}, 90_000);
