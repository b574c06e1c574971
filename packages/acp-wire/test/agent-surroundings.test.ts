import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentOptions, AgentProcess, createAgentEnv } from "../src/index.ts";
import { agentFile, agentOptions, Listener, rawAgent } from "./agents.ts";
import { groupEnds } from "./group-members.ts";
import { rejection } from "./raw-peer.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "acp-wire-"));
  await writeFile(join(directory, "file.txt"), "one\ntwo\n");
});
afterAll(() => rm(directory, { recursive: true }));

/** What the client answers when the agent asks it something. */
async function answerTo(
  options: Partial<AgentOptions>,
  request: object,
  cwd = directory,
): Promise<string> {
  await using agent = await rawAgent([], options);
  const listener = new Listener();
  const { sessionId } = await agent.newSession(cwd, listener);
  const withSession = {
    ...request,
    params: { sessionId, ...(request as { params: object }).params },
  };
  await agent.prompt(sessionId, [{ type: "text", text: JSON.stringify(withSession) }]);
  return listener.texts.at(-1) ?? "";
}

describe("files through the client", () => {
  const read = (path: string, more: object = {}) => ({
    method: "fs/read_text_file",
    params: { path, ...more },
  });
  const write = (path: string, content: string) => ({
    method: "fs/write_text_file",
    params: { path, content },
  });

  it("are not offered unless the client says so", async () => {
    const answer = await answerTo({}, read(join(directory, "file.txt")));
    expect(answer).toContain('"code":-32601');
  });

  it("are read inside the session's directory, and advertised", async () => {
    let capabilities: unknown;
    const options: Partial<AgentOptions> = {
      files: {},
      trace: (_, message) => {
        const { method, params } = message as {
          method?: string;
          params?: { clientCapabilities: unknown };
        };
        if (method === "initialize") capabilities = params?.clientCapabilities;
      },
    };
    expect(await answerTo(options, read(join(directory, "file.txt"), { line: 2, limit: 1 }))).toBe(
      '{"content":"two"}',
    );
    expect(capabilities).toEqual({ fs: { readTextFile: true, writeTextFile: false } });
    expect(await answerTo(options, read("/etc/passwd"))).toContain('"code":-32602');
    expect(await answerTo(options, write(join(directory, "new.txt"), "x"))).toContain(
      '"code":-32601',
    );
  });

  it("are read in more roots, and written when that is offered", async () => {
    const cwd = join(directory, "elsewhere");
    await mkdir(cwd, { recursive: true });
    const options = { files: { write: true, roots: [directory] } };
    expect(await answerTo(options, read(join(directory, "file.txt")), cwd)).toContain("one");
    expect(await answerTo(options, write(join(directory, "made.txt"), "made"), cwd)).toBe("{}");
    expect(await readFile(join(directory, "made.txt"), "utf8")).toBe("made");
  });

  it("are of no session that was not opened", async () => {
    const request = {
      method: "fs/read_text_file",
      params: { sessionId: "other", path: join(directory, "file.txt") },
    };
    expect(await answerTo({ files: {} }, request)).toContain('"code":-32002');
  });

  it("are found by the agent's own paths", async () => {
    const options = { files: {}, pathMap: [{ host: directory, agent: "/inside" }] };
    expect(await answerTo(options, read("/inside/file.txt"))).toContain("one");
  });
});

describe("a login", () => {
  it("goes by steps, and by one call for those who need no more", async () => {
    await using agent = await rawAgent();
    await agent.authenticate("key");
    const started = await agent.login("key", { kind: "start" });
    expect(started).toEqual({
      state: "needs_redirect",
      id: "login-1",
      url: "https://login.example/1",
      instructions: "",
    });
    const redirect = "http://127.0.0.1/?code=1";
    expect(await agent.login("key", { kind: "submit", id: started.id, redirect })).toMatchObject({
      state: "ok",
    });
    expect(await agent.login("key", { kind: "cancel", id: started.id })).toMatchObject({
      state: "cancelled",
    });
    await agent.logout();
  });
});

describe("a wrapper", () => {
  it("starts the agent, which sees the host's directories where the map says", async () => {
    await using agent = await rawAgent(["place"], {
      wrapper: ["env", "WRAPPED=1"],
      pathMap: [{ host: directory, agent: "/inside" }],
    });
    const { _meta } = await agent.newSession(join(directory, "sub"), new Listener());
    expect(_meta).toMatchObject({ params: { cwd: "/inside/sub", mcpServers: [] } });
    const [first] = await agent.listSessions(directory);
    expect(first?.cwd).toBe(directory);
  });

  it("is checked, not the command that it starts", async () => {
    expect(await rejection(rawAgent([], { wrapper: ["no-such-wrapper"] }))).toMatchObject({
      code: "spawn_failed",
    });
  });

  it("may need a command of its own to end what it started", async () => {
    const group = join(directory, "group");
    const agent: AgentProcess = await rawAgent(["ignore-eof", "ignore-term"], {
      stopTimings: { eofMs: 50, termMs: 5_000 },
      stopCommand: ["sh", "-c", `kill -KILL -$(cat ${group})`],
    });
    await writeFile(group, String(agent.pid));
    const from = performance.now();
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL", cause: "requested" });
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  it("whose stop command is missing is stopped by signals", async () => {
    const agent = await rawAgent(["ignore-eof"], {
      stopTimings: { eofMs: 50, termMs: 100 },
      stopCommand: ["no-such-command"],
    });
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ signal: "SIGTERM" });
  });
});

describe("the environment of another identity", () => {
  it("has nothing personal of the host but what is set", () => {
    const hostEnv = {
      PATH: "/bin",
      HOME: "/root",
      USER: "root",
      LOGNAME: "root",
      SHELL: "/bin/sh",
      TMPDIR: "/root/tmp",
      LANG: "C",
    };
    expect(createAgentEnv({ hostEnv, sameUser: false, env: { HOME: "/home/agent" } })).toEqual({
      PATH: "/bin",
      LANG: "C",
      HOME: "/home/agent",
    });
  });
});

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

describe("an agent under a second uid", () => {
  // Everybody may enter it, wherever the checkout lies: the agent and its Node.js are run from here.
  let open: string;
  beforeAll(async () => {
    open = await mkdtemp(join(tmpdir(), "acp-wire-open-"));
    await chmod(open, 0o755);
    await copyFile(process.execPath, join(open, "node"));
    await copyFile(agentFile("raw-agent.mjs"), join(open, "raw-agent.mjs"));
  });
  afterAll(() => rm(open, { recursive: true }));

  // Only root can start a process under another uid, so elsewhere nothing of this can be shown.
  if (!isRoot) {
    it("is NOT SHOWN here, because this is not root", async () => {
      console.warn("NOT SHOWN: what an agent under a second uid can read, for this is not root.");
      expect(await rejection(startAsNobody("/tmp"))).toMatchObject({ code: "spawn_failed" });
    });
    return;
  }

  it("reads neither config, database nor socket of the relay, nor its environment", async () => {
    const state = await mkdtemp(join(tmpdir(), "acp-wire-state-"));
    const workspace = await mkdtemp(join(tmpdir(), "acp-wire-work-"));
    try {
      await chmod(workspace, 0o777);
      const secrets = ["config.json", "state.db", "token"].map((name) => join(state, name));
      for (const path of secrets) await writeFile(path, "secret", { mode: 0o600 });
      await writeFile(join(workspace, "readme"), "free");
      const socket = join(state, "private.sock");
      const server = createServer().listen(socket);
      await chmod(socket, 0o600);

      await using agent = await startAsNobody(workspace);
      const listener = new Listener();
      const { sessionId } = await agent.newSession(workspace, listener);
      const paths = [
        ...secrets,
        socket,
        `/proc/${process.pid}/environ`,
        `/proc/${process.pid}/fd`,
        join(workspace, "readme"),
      ];
      await agent.prompt(sessionId, [{ type: "text", text: `cat ${paths.join(" ")}` }]);
      expect(listener.texts.at(-1)).toBe("EACCES EACCES EACCES EACCES EACCES EACCES read");
      expect(
        execFileSync("ps", ["-o", "uid=", "-p", String(agent.pid)], { encoding: "utf8" }).trim(),
      ).toBe(String(NOBODY));
      server.close();
    } finally {
      await rm(state, { recursive: true });
      await rm(workspace, { recursive: true });
    }
  });

  it("is stopped and killed like any other", async () => {
    const agent = await startAsNobody("/tmp", ["ignore-eof", "ignore-term"]);
    await agent[Symbol.asyncDispose]();
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
    await groupEnds(agent.pid);
  });

  function startAsNobody(cwd: string, faults: string[] = []) {
    return AgentProcess.start({
      ...agentOptions("raw-agent.mjs"),
      command: [join(open, "node"), join(open, "raw-agent.mjs"), ...faults],
      cwd,
      runAs: { uid: NOBODY, gid: NOBODY },
      stopTimings: { eofMs: 50, termMs: 50 },
    });
  }
});
