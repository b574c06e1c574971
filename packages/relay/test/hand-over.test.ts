import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { KEY, RelayRun, type RelayRunOptions, relayRoot } from "./relay-run.ts";
import { DEADLINE_MS, within } from "./support.ts";

vi.setConfig({ testTimeout: 4 * DEADLINE_MS });

let root: string;
let config: string;

beforeEach(() => {
  root = relayRoot();
  config = join(root, "relay.jsonc");
  admit("u-ana");
});

/** Writes a configuration that admits these people. */
function admit(...users: readonly string[]): void {
  configure({ access: [{ users }] });
}

function configure(content: object): void {
  writeFileSync(config, JSON.stringify(content));
}

/** Polls for what no line of a log tells. */
async function until(look: () => unknown): Promise<void> {
  await vi.waitFor(look, DEADLINE_MS);
}

/** A relay with the test app, and ways to look at it. */
class Relay {
  readonly run: RelayRun;
  url = "";

  /** Resolves once it serves. */
  static async start(
    options: RelayRunOptions = {},
    flags: readonly string[] = ["--port", "0"],
  ): Promise<Relay> {
    const relay = new Relay(options, flags);
    [, relay.url = ""] = await relay.run.says(/(http:\/\/\S+\/poe) /);
    return relay;
  }

  private constructor({ env, ...options }: RelayRunOptions, flags: readonly string[]) {
    const args = ["start", "--config", config, ...flags];
    this.run = new RelayRun(root, args, { ...options, env: { POE_ACCESS_KEY: KEY, ...env } });
  }

  kill(signal: NodeJS.Signals): void {
    this.run.child.kill(signal);
  }

  /** Over a connection of its own, unless another agent is given. */
  async ask(
    headers: Record<string, string> = {},
    agent: Agent | false = false,
  ): Promise<IncomingMessage> {
    const asked = request(this.url, {
      method: "POST",
      agent,
      headers: { "x-user": "u-ana", ...headers },
    });
    const [response] = (await within(once(asked.end(), "response"))) as [IncomingMessage];
    return response.setEncoding("utf8");
  }

  /** The process that answers now, and what it answers. */
  async answers(headers: Record<string, string> = {}): Promise<{ pid: number; text: string }> {
    const response = await this.ask(headers);
    return { pid: Number(response.headers["x-pid"]), text: await textOf(response) };
  }

  /** Resolves once the log has this, of the n-th generation. */
  async logs(message: string, generation: number): Promise<void> {
    await this.run.says(new RegExp(`"generation":${generation},"msg":"${message}`), "stderr");
  }

  /** Resolves once the n-th generation serves, and the one before it takes nothing more. */
  async handsOverTo(generation: number): Promise<void> {
    await this.logs("a generation serves", generation);
    await this.logs("handing over", generation - 1);
  }

  /** How often the log has this. */
  count(text: string): number {
    return this.run.stderr.split(text).length - 1;
  }

  get workers(): number[] {
    const { pid } = this.run.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.split(" ").filter(Boolean).map(Number);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** A response that is open until the test ends it. */
async function streaming(relay: Relay, name = "end") {
  const file = join(root, name);
  const response = await relay.ask({ "x-stream": file });
  const text = textOf(response);
  // Who waits for it hears of a cut; a test that has failed before that must not fail the run as well.
  text.catch(() => undefined);
  return {
    pid: Number(response.headers["x-pid"]),
    /** Lets it come to its end; resolves with everything that it said. */
    end: () => {
      writeFileSync(file, "");
      return within(text);
    },
  };
}

describe("SIGHUP", () => {
  test("starts another process on the configuration that is there then, and lets open responses end", async () => {
    const relay = await Relay.start();
    const open = await streaming(relay);
    admit("u-ana", "u-bob");
    expect((await relay.answers({ "x-user": "u-bob" })).text).toContain("u-bob");
    relay.kill("SIGHUP");
    await relay.handsOverTo(2);
    const { pid, text } = await relay.answers({ "x-user": "u-bob" });
    expect(text).toBe("user");
    expect(pid).not.toBe(open.pid);
    expect(relay.workers.toSorted()).toEqual([open.pid, pid].toSorted());
    expect(await open.end()).toBe("begin\nend\n");
    await relay.logs("a generation has ended", 1);
    relay.kill("SIGTERM");
    expect(await relay.run.ends()).toBe(0);
    expect(readdirSync(join(root, "home/.local/state/acp-kit/poe-relay/default/owners"))).toEqual(
      [],
    );
  });

  test("with a mistake in the configuration leaves the old process serving, and says why once", async () => {
    const relay = await Relay.start();
    const before = await relay.answers();
    writeFileSync(config, '{ "acess": [] }');
    relay.kill("SIGHUP");
    await relay.run.says(/the old one serves on/, "stderr");
    expect(await relay.answers()).toEqual(before);
    expect(relay.count('unknown key; did you mean \\"access\\"?')).toBe(1);
    writeFileSync(config, '{ "access": [{ "users": ["u-ana"] }], "stateDir": "/elsewhere" }');
    relay.kill("SIGHUP");
    await relay.run.says(/the configuration names \/elsewhere; stop the relay first/, "stderr");
    expect(await relay.answers()).toEqual(before);
    admit("u-ana");
    relay.kill("SIGHUP");
    await relay.logs("a generation serves", 4);
    await relay.logs("handing over", 1);
    expect((await relay.answers()).pid).not.toBe(before.pid);
  });

  test("that would make a fifth process waits, and several of them make one", async () => {
    const relay = await Relay.start();
    const open = [await streaming(relay, "1")];
    for (const generation of [2, 3, 4]) {
      relay.kill("SIGHUP");
      await relay.handsOverTo(generation);
      open.push(await streaming(relay, String(generation)));
    }
    expect(new Set(open.map(({ pid }) => pid))).toEqual(new Set(relay.workers));
    for (const times of [1, 2, 3]) {
      relay.kill("SIGHUP");
      await until(() => expect(relay.count("a hand-over waits")).toBe(times));
    }
    expect(relay.workers).toHaveLength(4);
    expect(await open[1]?.end()).toBe("begin\nend\n");
    await relay.handsOverTo(5);
    expect(relay.workers).toHaveLength(4);
    for (const { end } of open) await end();
    await until(() => expect(relay.workers).toHaveLength(1));
    expect(relay.count("a generation serves")).toBe(5);
  });

  test("loses no request on a connection that is kept", async () => {
    const relay = await Relay.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const first = await relay.ask({}, agent);
    await textOf(first);
    relay.kill("SIGHUP");
    await relay.handsOverTo(2);
    const second = await relay.ask({}, agent);
    expect(second.headers).toMatchObject({
      "x-pid": first.headers["x-pid"],
      connection: "close",
    });
    expect(await textOf(second)).toBe("user");
    const third = await relay.ask({}, agent);
    expect(third.headers["x-pid"]).not.toBe(first.headers["x-pid"]);
    expect(await textOf(third)).toBe("user");
  });

  test("moves the relay to another port that the configuration names then", async () => {
    const ports = [await freePort(), await freePort()];
    const listenOn = (port: number | undefined) =>
      configure({ access: [{ users: ["u-ana"] }], listen: { port } });
    listenOn(ports[0]);
    const relay = await Relay.start({}, []);
    expect(relay.url).toContain(`:${ports[0]}/`);
    const open = await streaming(relay);
    listenOn(ports[1]);
    relay.kill("SIGHUP");
    await relay.handsOverTo(2);
    await expect(relay.ask()).rejects.toThrow("ECONNREFUSED");
    relay.url = relay.url.replace(`:${ports[0]}/`, `:${ports[1]}/`);
    expect((await relay.answers()).text).toBe("user");
    expect(await open.end()).toBe("begin\nend\n");
    relay.kill("SIGHUP");
    await relay.handsOverTo(3);
    expect((await relay.answers()).text).toBe("user");
  });

  test("changes nothing about the demo's key", async () => {
    const demo = new RelayRun(root, ["start", "--port", "0"]);
    const [, url = ""] = await demo.says(/^Address +(\S+)$/m);
    const [, state = ""] = await demo.says(/^State +(\S+) /m);
    const owners = () =>
      readdirSync(join(state, "owners")).filter((name) => name.endsWith(".lock"));
    const [old] = owners();
    demo.child.kill("SIGHUP");
    await until(() => {
      expect(owners()).toHaveLength(1);
      expect(owners()).not.toContain(old);
    });
    expect((await fetch(url, { method: "POST" })).status).toBe(200);
    expect(demo.stdout.match(/Bearer/g)).toHaveLength(1);
    demo.child.kill("SIGTERM");
    expect(await demo.ends()).toBe(0);
    expect(readdirSync(join(root, "tmp"))).toEqual([]);
  });
});

describe("SIGTERM", () => {
  test("lets an open response end within --drain-seconds, and refuses new ones visibly", async () => {
    const relay = await Relay.start({}, ["--port", "0", "--drain-seconds", "600"]);
    const open = await streaming(relay);
    relay.kill("SIGTERM");
    await relay.logs("stopping", 1);
    expect((await relay.answers()).text).toBe("draining\n");
    expect(await open.end()).toBe("begin\nend\n");
    expect(await relay.run.ends()).toBe(0);
  });

  test("ends what goes on for longer visibly", async () => {
    const relay = await Relay.start({}, ["--port", "0", "--drain-seconds", "0.1"]);
    const response = await relay.ask({ "x-stream": "drains" });
    relay.kill("SIGTERM");
    expect(await within(textOf(response))).toBe("begin\nsealed\n");
    expect(await relay.run.ends()).toBe(0);
  });

  test("ends processes that retire too", async () => {
    const relay = await Relay.start({}, ["--port", "0", "--drain-seconds", "0.1"]);
    const response = await relay.ask({ "x-stream": "drains" });
    relay.kill("SIGHUP");
    await relay.handsOverTo(2);
    relay.kill("SIGTERM");
    expect(await within(textOf(response))).toBe("begin\nsealed\n");
    expect(await relay.run.ends()).toBe(0);
  });
});

describe("a process that is killed", () => {
  test("is replaced, and who comes in between waits; the third that dies so soon ends the relay", async () => {
    const relay = await Relay.start();
    for (const generation of [2, 3]) {
      const { pid } = await relay.answers();
      process.kill(pid, "SIGKILL");
      await until(() => expect(relay.workers).not.toContain(pid));
      const asked = Array.from({ length: 20 }, () => relay.answers());
      const answers = await Promise.all(asked);
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["user"]));
      await relay.logs("a generation serves", generation);
    }
    process.kill((await relay.answers()).pid, "SIGKILL");
    expect(await relay.run.ends()).toBe(1);
    await expect(relay.ask()).rejects.toThrow("ECONNREFUSED");
    expect(relay.run.stderr.trimEnd().split("\n").at(-1)).toBe("poe-relay: died: SIGKILL");
  });

  test("takes the others with it when it is the one that holds the socket", async () => {
    const relay = await Relay.start();
    const { pid } = await relay.answers();
    relay.kill("SIGKILL");
    await until(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  });
});

describe("a socket of the service manager", () => {
  /** `sh` is replaced by the relay, which so has the process id that the variable names. */
  const wrapper = ["/bin/sh", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "sh"];

  test("is served, over a hand-over, and no other program gets it", async () => {
    const { server, port, fd } = await listening();
    const agent = join(import.meta.dirname, "../../demo-agent/src/main.ts");
    const relay = await Relay.start({ wrapper, stdio: [fd] }, [
      "--agent",
      `${process.execPath} --conditions=@acp-kit/source ${agent} --scenario echo`,
    ]);
    // From here on only the relay accepts.
    server.close();
    expect(relay.url).toBe(`http://127.0.0.1:${port}/poe`);
    const before = await relay.answers({ "x-prompt": "hello" });
    relay.kill("SIGHUP");
    await relay.handsOverTo(2);
    // Another message: a repeated one would be shown without an agent.
    const after = await relay.answers({ "x-prompt": "again" });
    const agents = relay.workers.flatMap((worker) => descendants(worker));
    const inode = socketOf(relay.run.child.pid, 3);
    expect(agents.length).toBeGreaterThan(0);
    for (const pid of agents) expect(socketsOf(pid)).not.toContain(inode);
    const [serving = 0] = relay.workers.slice(-1);
    process.kill(serving, "SIGKILL");
    await until(() => expect(relay.workers).not.toContain(serving));
    expect((await relay.answers()).text).toBe("user");
    expect([before.text, after.text]).toEqual(["hello", "again"]);
    relay.kill("SIGTERM");
    expect(await relay.run.ends()).toBe(0);
  });

  test("is refused for the demo, when there are several, and when it is no TCP socket", async () => {
    const demo = new RelayRun(root, ["start"], { wrapper, stdio: [(await listening()).fd] });
    expect(await demo.ends()).toBe(1);
    expect(demo.stderr).toMatch(/^poe-relay: the demo listens by itself; set POE_ACCESS_KEY .*\n$/);
    const two = ["/bin/sh", "-c", 'LISTEN_FDS=2 LISTEN_PID=$$ exec "$@"', "sh"];
    const several = new RelayRun(root, ["start"], { wrapper: two, env: { POE_ACCESS_KEY: KEY } });
    expect(await several.ends()).toBe(1);
    expect(several.stderr).toContain("passes 2 sockets and the relay takes one");
    const file = openSync(config, "r");
    const options = { wrapper, stdio: [file], env: { POE_ACCESS_KEY: KEY } };
    const other = new RelayRun(root, ["start"], options);
    expect(await other.ends()).toBe(1);
    expect(other.stderr).toContain("something else than a TCP socket; its socket unit needs");
    closeSync(file);
  });
});

test("in somebody else's cluster it does not start, and says what to do", async () => {
  const run = new RelayRun(root, ["start"], { env: { NODE_UNIQUE_ID: "1" }, stdio: ["ipc"] });
  expect(await run.ends()).toBe(1);
  expect(run.stderr).toMatch(/^poe-relay: .* start the relay as a process of its own .*\n$/);
});

function descendants(pid: number): number[] {
  const children = ifThere(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
  return (children ?? "")
    .split(" ")
    .filter(Boolean)
    .map(Number)
    .flatMap((child) => [child, ...descendants(child)]);
}

function socketOf(pid: number | undefined, fd: number | string): string {
  return readlinkSync(`/proc/${pid}/fd/${fd}`);
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => ifThere(() => socketOf(pid, fd)) ?? []);
}

/** What is listed may be gone when it is looked at. */
function ifThere<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** One that the system gives to nobody who asks for any. */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  return port;
}

/** A socket that listens, as a service manager makes one. */
async function listening() {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
  return { server, port, fd };
}
