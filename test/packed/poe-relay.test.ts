import { once } from "node:events";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createPoeReader } from "@acp-kit/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeBinary } from "./node-binary.ts";
import { createProject } from "./project.ts";
import { withDependencies } from "./published.ts";
import { type Env, Running } from "./running.ts";

let project: Awaited<ReturnType<typeof createProject>>;
let main: string;
beforeAll(async () => {
  project = await createProject(withDependencies("apps/poe-relay"));
  main = path.join(project.folder, "node_modules/@acp-kit/poe-relay/dist/main.js");
});
afterAll(() => project?.[Symbol.asyncDispose]());

/** A fresh directory of the project. */
async function directory(name: string): Promise<string> {
  const made = path.join(project.folder, name);
  await mkdir(made);
  return made;
}

/** What a user's shell gives, with `node` first on PATH; and npm keeps no compiled code in TMPDIR. */
function environment(node: string, more: Env = {}): Env {
  const { PATH = "", HOME = "" } = process.env;
  const own = { PATH: `${path.dirname(node)}:${PATH}`, HOME, NODE_DISABLE_COMPILE_CACHE: "1" };
  return { ...own, ...more };
}

describe.each(["22.19.0", "24"])("npx poe-relay start on Node.js %s", (version) => {
  test("shows the demo to the printed curl line, and leaves nothing behind", async () => {
    const temporary = await directory(`tmp-${version}`);
    const env = environment(await nodeBinary(version), { TMPDIR: temporary });
    const cwd = project.folder;
    const start = ["--no", "poe-relay", "start", "--port", "0", "--speed", "10"];
    await using relay = new Running("npx", start, { cwd, env });
    const [curlLine] = await relay.prints(/^curl .*$/m);
    await using curl = new Running("/bin/sh", ["-c", `${curlLine} --silent`], { cwd, env });
    await curl.prints(/^event: text$/m);
    expect(curl.stdout).not.toContain("event: done");
    const { code, stdout } = await curl.ends();
    expect(code).toBe(0);

    const reader = createPoeReader();
    reader.push(Buffer.from(stdout));
    reader.end();
    expect(reader.violations).toEqual([]);
    const events = reader.frames.flatMap((frame) => ("event" in frame ? [frame.event] : []));
    expect(events[0]).toBe("meta");
    expect(events.filter((event) => event === "text").length).toBeGreaterThan(5);
    expect(events).toContain("replace_response");
    expect(events.filter((event) => event === "done")).toHaveLength(1);
    expect(events.at(-1)).toBe("done");
    expect(reader.body()).toMatch(/^\| .* \|$/m);
    expect(reader.body()).toMatch(/^```/m);

    relay.signal("SIGINT");
    await relay.ends();
    expect(await readdir(temporary)).toEqual([]);
  });
});

test("npx acp-demo-agent starts the demo's agent", async () => {
  const options = { cwd: project.folder, env: environment(process.execPath) };
  await using agent = new Running("npx", ["--no", "acp-demo-agent", "--version"], options);
  expect((await agent.ends()).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("one line on stderr and exit code 1", () => {
  async function failure(node: string, file: string, args: readonly string[], more: Env = {}) {
    const options = { cwd: project.folder, env: environment(node, more) };
    await using relay = new Running(node, [file, ...args], options);
    const { code, stdout, stderr } = await relay.ends();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^poe-relay: [^\n]+\n$/);
    return stderr;
  }

  test.each(["20", "22.18.0"])("on Node.js %s, before anything is imported", async (version) => {
    // Alone, the file could import nothing else.
    const alone = path.join(await directory(`alone-${version}`), "main.mjs");
    await copyFile(main, alone);
    const node = await nodeBinary(version);
    for (const file of [main, alone]) {
      expect(await failure(node, file, ["start"])).toMatch(/install 22\.19 or newer\n$/);
    }
  });

  test("for a port that is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const line = await failure(process.execPath, main, ["start", "--port", String(port)]);
    server.close();
    expect(line).toContain(`port ${port}`);
    expect(line).toContain("--port");
  });

  test("for a configuration that is not there, and for one that is none", async () => {
    const file = path.join(project.folder, "relay.jsonc");
    const start = ["start", "--config", file];
    expect(await failure(process.execPath, main, start)).toContain(`${file} (ENOENT)`);
    await writeFile(file, '{ "bots": ');
    expect(await failure(process.execPath, main, start)).toContain(`${file}:1`);
  });

  test("for an agent that is not there", async () => {
    const start = ["start", "--port", "0", "--agent", "no-such-agent --acp"];
    expect(await failure(process.execPath, main, start)).toContain(
      "no-such-agent is not on PATH; install it",
    );
  });

  test("for a key that is too short, without the key", async () => {
    const line = await failure(process.execPath, main, ["start"], { POE_ACCESS_KEY: "abc-def" });
    expect(line).toContain("an access key has 32 characters and this one has 7");
    expect(line).not.toContain("abc-def");
  });
});
