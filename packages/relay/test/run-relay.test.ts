import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runRelay } from "../src/cli/run-relay.ts";
import { KEY, RelayRun, relayRoot } from "./relay-run.ts";
import { within } from "./support.ts";
import { testApp } from "./test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

let root: string;

beforeEach(() => {
  root = relayRoot();
});

const start = (args: readonly string[], env?: Record<string, string>) =>
  new RelayRun(root, args, { env });

async function sent(url: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(url, { method: "POST", headers });
  return [response.status, await response.text()];
}

async function askSocket(socketPath: string, path: string): Promise<string> {
  const asked = request({ socketPath, path }).end();
  const [response] = (await within(once(asked, "response"))) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe("the demo", () => {
  test("prints address, state directory and a curl line that works, and cleans up after itself", async () => {
    const run = start(["start", "--port", "0"]);
    const [, curl = ""] = await run.says(/^(curl .*)$/m);
    const [, url = ""] = await run.says(/^Address +(http:\/\/127\.0\.0\.1:\d+\/poe)$/m);
    const [, stateDir = ""] = await run.says(/^State +(\S+) \(removed at the end\)$/m);
    expect(stateDir.startsWith(join(root, "tmp"))).toBe(true);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    expect(curl).toMatch(/Bearer [A-Za-z0-9]{32}'/);
    expect(curl).toContain(url);

    const shell = spawn("/bin/sh", ["-c", `${curl} --silent`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [answer] = await within(once(shell.stdout, "data"));
    expect(String(answer)).toBe("operator");

    const print = curl.replace(/^curl .* -d /, "printf %s ");
    const body: unknown = JSON.parse(execFileSync("/bin/sh", ["-c", print], { encoding: "utf8" }));
    expect(body).toMatchObject({
      type: "query",
      query: [{ role: "user", message_id: expect.stringMatching(/^m-\d{10}$/) }],
      message_id: expect.stringMatching(/^r-\d{10}$/),
    });

    run.child.kill("SIGINT");
    expect(await run.ends()).toBe(0);
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
    expect(readdirSync(join(root, "home"))).toEqual([]);
    expect(run.stderr).toBe("");
  });
});

/** Runs the command line in this process: for what ends before anything is started. */
async function inProcess(args: readonly string[], env: Record<string, string> = {}) {
  const stdout = new PassThrough({ encoding: "utf8" });
  const stderr = new PassThrough({ encoding: "utf8" });
  const code = await runRelay(testApp, args, env, { stdout, stderr });
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

describe("one line on stderr and exit code 1", () => {
  async function failure(args: readonly string[], env: Record<string, string> = {}) {
    const { code, stdout, stderr } = await inProcess(args, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^poe-relay: [^\n]+\n$/);
    return stderr;
  }

  test("for a configuration that cannot be read", async () => {
    expect(await failure(["start", "--config", join(root, "nope.jsonc")])).toContain(
      "(ENOENT); create it, or give another path with --config",
    );
    const file = join(root, "relay.jsonc");
    writeFileSync(file, '{ "acess": [] }');
    expect(await failure(["start", "--config", file])).toContain(
      `${file}:1: acess: unknown key; did you mean "access"?`,
    );
  });

  test("for a short key, without the key", async () => {
    const line = await failure(["start"], { POE_ACCESS_KEY: "abc-def" });
    expect(line).toContain("POE_ACCESS_KEY: an access key has 32 characters and this one has 7");
    expect(line).not.toContain("abc-def");
    expect(await failure(["start"], { POE_ACCESS_KEY: "" })).toContain("this one has 0");
  });

  test("for each of several mistakes", async () => {
    const file = join(root, "relay.jsonc");
    writeFileSync(
      file,
      '{ "acess": [],\n "bots": { "b": { "surface": "irc" } },\n "stateDir": "x" }',
    );
    const { code, stderr } = await inProcess(["start", "--config", file]);
    expect(code).toBe(1);
    expect(stderr.split("\n").map((line) => line.replace(file, ""))).toEqual([
      expect.stringMatching(/^poe-relay: :1: acess: unknown key/),
      expect.stringMatching(/^poe-relay: :2: bots\.b\.surface: must be/),
      expect.stringMatching(/^poe-relay: :3: stateDir: must be/),
      "",
    ]);
  });

  test("for a private socket in a directory that is not there", async () => {
    const file = join(root, "relay.jsonc");
    const socket = join(root, "nope/private.sock");
    writeFileSync(file, JSON.stringify({ private: { socket } }));
    const run = start(["start", "--port", "0", "--config", file], { POE_ACCESS_KEY: KEY });
    expect(await run.ends()).toBe(1);
    expect(run.stderr.split("\n").at(-2)).toBe(
      `poe-relay: socket ${socket} lies in a directory that does not exist; choose another with private.socket`,
    );
  });

  test("for a key in two places, and for a key file that is not there", async () => {
    const file = join(root, "key");
    const both = { POE_ACCESS_KEY: KEY, POE_ACCESS_KEY_FILE: file };
    expect(await failure(["start"], both)).toContain("are both set");
    expect(await failure(["start"], { POE_ACCESS_KEY_FILE: file })).toContain("(ENOENT)");
    expect(await failure(["start"], { POE_ACCESS_KEY_FILE: "" })).toContain(
      "POE_ACCESS_KEY_FILE: it names no file, and needs an absolute path, such as /run/secrets/key",
    );
  });

  test.each([
    [["strat"], "Did you mean start?"],
    [["start", "--prot", "1"], "Did you mean --port?"],
    [["start", "--port", "70000"], "0 to 65535"],
    [["start", "--path", "poe"], 'like "/poe"'],
    [["start", "--instance", "../x"], "letters, digits"],
    [["start", "--agent", "a 'b"], "A quote is not closed"],
    [["start", "--speed", "0"], "above 0"],
    [["start", "--drain-seconds", "soon"], "0 to 3600"],
    [["start", "extra"], "too many arguments"],
    [["start", "--config"], "argument missing"],
    [["start\nx\u001b[31m"], "unknown command 'start x'"],
    [[], 'try "poe-relay start"'],
  ])("for the arguments %j", async (args, text) => {
    expect(await failure(args)).toContain(text);
  });

  test("for a port that is taken, and nothing is left of the attempt", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const run = start(["start", "--port", String(port)]);
    expect(await run.ends()).toBe(1);
    expect([run.stdout, run.stderr]).toEqual([
      "",
      `poe-relay: port ${port} on 127.0.0.1 is taken by another process; choose another with --port (0 takes any that is free) or --host\n`,
    ]);
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
  });

  test("for an agent that is not there", async () => {
    const run = start(["start", "--port", "0", "--agent", "no-such-agent --acp"]);
    expect(await run.ends()).toBe(1);
    expect(run.stderr).toBe(
      'poe-relay: agent "agent": no-such-agent is not on PATH; install it, or give the path of its program\n',
    );
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
  });
});

test("--help and --version print and end with 0", async () => {
  expect(await inProcess(["--version"])).toEqual({ code: 0, stdout: "9.8.7\n", stderr: "" });
  for (const args of [["--help"], ["start", "--help"], ["help", "start"]]) {
    expect(await inProcess(args)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage: poe-relay /),
      stderr: "",
    });
  }
});

describe("a relay with a key", () => {
  test("and no rule starts, admits nobody, tells them their id and prints what would admit somebody", async () => {
    const file = join(root, "key");
    writeFileSync(file, `${KEY}\n`);
    const run = start(["start", "--port", "0"], { POE_ACCESS_KEY_FILE: file });
    const [, url = ""] = await run.says(/(http:\/\/\S+\/poe) /);
    await run.says(/^\{ "access": /m);
    const [status, text] = await sent(url, { "x-user": "u-ana" });
    expect(status).toBe(403);
    expect(text).toContain("`u-ana`");
    run.child.kill("SIGTERM");
    expect(await run.ends()).toBe(0);
    expect(run.stdout).not.toContain(KEY);
  });

  test("serves its bots, keeps its state, and never logs a key", async () => {
    const config = join(root, "relay.jsonc");
    writeFileSync(
      config,
      `{
        "bots": {
          "shop": { "surface": "poe", "path": "/shop", "accessKeys": ["\${SHOP_KEY}"] },
          "infra": { "surface": "poe", "path": "/infra", "accessKeys": ["\${SHOP_KEY}"] },
        },
        "access": [{ "users": ["u-ana"], "role": "approver", "bots": ["shop"] }],
      }`,
    );
    const run = start(["start", "--port", "0", "--config", config], { SHOP_KEY: KEY });
    const [, base = ""] = await run.says(/(http:\/\/\S+)\/shop +bot shop/);
    const [, socket = ""] = await run.says(/^Private +(\S+)\n/m);
    expect(await sent(`${base}/shop`, { "x-user": "u-ana" })).toEqual([200, "approver"]);
    expect((await sent(`${base}/infra`, { "x-user": "u-ana" }))[0]).toBe(403);

    const state = join(root, "home/.local/state/acp-kit/poe-relay/default");
    expect(socket).toBe(join(state, "private.sock"));
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(await askSocket(socket, "/healthz")).toMatch(/^ok pid=\d+ sessions=0\n$/);
    expect(JSON.parse(await askSocket(socket, "/debug/sessions"))).toEqual({
      sessions: [],
      count: 0,
    });

    for (const path of ["/healthz", "/debug/sessions", "/metrics", "/"]) {
      const response = await fetch(`${base}${path}`);
      const text = await response.text();
      expect([response.status, text]).toEqual(
        path === "/healthz" ? [200, "ok\n"] : [404, "no such bot\n"],
      );
    }

    const second = start(["start", "--port", "0", "--config", config], { SHOP_KEY: KEY });
    expect(await second.ends()).toBe(1);
    expect(second.stderr.trimEnd().split("\n").at(-1)).toMatch(
      /^poe-relay: another process uses the state directory .*--instance NAME/,
    );
    const other = start(["start", "--port", "0", "--config", config, "--instance", "two"], {
      SHOP_KEY: KEY,
    });
    await other.says(/acp-kit\/poe-relay\/two\n/);

    run.child.kill("SIGTERM");
    expect(await run.ends()).toBe(0);
    expect(existsSync(state)).toBe(true);
    expect(existsSync(socket)).toBe(false);
    const lines = run.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.map(({ msg }) => msg)).toContain("asked");
    // C2: a secret that came by the environment is a risk that is said.
    expect(lines.map(({ msg }) => msg).join()).toMatch(/secrets came by the environment/);
    expect(run.stderr + run.stdout + second.stderr).not.toContain(KEY);
  });

  test("C5: serves the private side on TCP only to who has the token and called it by its name", async () => {
    const config = join(root, "relay.jsonc");
    const token = "private-token-0123456789";
    writeFileSync(config, `{ "private": { "port": 0, "token": "${token}" } }`, { mode: 0o600 });
    const run = start(["start", "--port", "0", "--config", config], { POE_ACCESS_KEY: KEY });
    const [, base = ""] = await run.says(/^Private +(http:\/\/127\.0\.0\.1:\d+)\n/m);
    const get = async (headers: Record<string, string>) =>
      (await fetch(`${base}/healthz`, { headers })).status;
    const authorization = `Bearer ${token}`;
    expect(await get({ authorization })).toBe(200);
    expect(await get({})).toBe(401);
    expect(await get({ authorization, origin: "http://evil.example" })).toBe(403);
    expect(await get({ authorization, "x-forwarded-for": "10.0.0.1" })).toBe(403);
    const rebound = request(`${base}/healthz`, {
      headers: { authorization, host: "evil.example" },
    });
    const [response] = (await within(once(rebound.end(), "response"))) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(403);
  });
});

test("what an agent is passed of the environment is in no log, when it prints it", async () => {
  const config = join(root, "relay.jsonc");
  const secret = 'passed "by name" é 1';
  const command = ["sh", "-c", "echo it is $PASSED >&2; exit 3"];
  const agents = { leaky: { command, envPass: ["PASSED", "UNSET"] } };
  writeFileSync(
    config,
    JSON.stringify({ agents, access: [{ users: ["u-ana"] }], log: { level: "debug" } }),
  );
  const args = ["start", "--port", "0", "--config", config];
  const run = start(args, { POE_ACCESS_KEY: KEY, PASSED: secret });
  const [, url = ""] = await run.says(/(http:\/\/\S+\/poe) /);
  await sent(url, { "x-user": "u-ana", "x-prompt": "hello" });
  await run.says(/"it is \[redacted\]"/, "stderr");
  expect(run.stderr).not.toContain("by name");
});

describe("a signal", () => {
  async function streaming(how: "drains" | "stuck") {
    const config = join(root, "relay.jsonc");
    writeFileSync(config, '{ "access": [{ "users": ["*"] }] }');
    const run = start(["start", "--port", "0", "--config", config], { POE_ACCESS_KEY: KEY });
    const [, url = ""] = await run.says(/(http:\/\/\S+\/poe) /);
    const response = await fetch(url, { method: "POST", headers: { "x-stream": how } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("begin\n");
    return { run, reader };
  }

  test("ends open responses visibly, then the process", async () => {
    const { run, reader } = await streaming("drains");
    run.child.kill("SIGTERM");
    expect((await reader?.read())?.value).toBe("sealed\n");
    expect((await reader?.read())?.done).toBe(true);
    expect(await run.ends()).toBe(0);
  });

  test("that comes a second time ends the process at once", async () => {
    const { run } = await streaming("stuck");
    run.child.kill("SIGTERM");
    await run.says(/"stopping"/, "stderr");
    run.child.kill("SIGTERM");
    expect(await run.ends()).toBe(143);
  });
});
