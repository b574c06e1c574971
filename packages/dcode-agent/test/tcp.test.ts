import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createCertificate } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { Listener, NODE, program, Rig, refusal, text } from "./rig.ts";

const token = "t0k-secret";

/** A file with some text, in the rig's folder. */
function write(rig: Rig, name: string, content: string): string {
  const file = path.join(rig.root, name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

/** The end of a `dcode-acp` whose client is gone at once. */
function run(rig: Rig, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const [node = "", ...flags] = NODE;
  return new Promise((resolve) => {
    const command = [...flags, program, "--state", rig.state, ...args];
    const child = execFile(node, command, (error, _, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr });
    });
    child.stdin?.end();
  });
}

describe("dcode-acp --url", () => {
  test("has a turn with the token of its file", async () => {
    await using rig = await Rig.start({ tcp: { token } });
    const file = write(rig, "token", `${token}\n`);
    const args = ["--url", rig.daemon.url, "--token-file", file, "--state", rig.state];
    const agent = await rig.agent({ command: [...NODE, program, ...args] });
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    expect(await agent.prompt(sessionId, text("hi"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("You said: hi. Done.");
  });

  test("ends with one sentence for a token that is wrong or missing, and does not repeat it", async () => {
    await using rig = await Rig.start({ tcp: { token } });
    const wrong = write(rig, "wrong", "not-the-t0ken");
    for (const more of [[], ["--token-file", wrong]]) {
      expect(await run(rig, "--url", rig.daemon.url, ...more)).toEqual({
        code: 1,
        stderr: `dcode-acp: ${rig.daemon.url} refuses GET /version (401): the token is wrong or missing.\n`,
      });
    }
  });

  test.each([
    [
      "is not there",
      undefined,
      /^dcode-acp: The file of the token, \S+, cannot be read \(ENOENT\)\.\n$/,
    ],
    [
      "is empty",
      "\n",
      /^dcode-acp: The daemon's token must be printable ASCII without spaces\.\n$/,
    ],
  ])("ends with one sentence when the file of the token %s", async (_, content, sentence) => {
    await using rig = await Rig.start({ tcp: { token } });
    const file = content === undefined ? path.join(rig.root, "none") : write(rig, "token", content);
    expect(await run(rig, "--url", rig.daemon.url, "--token-file", file)).toEqual({
      code: 1,
      stderr: expect.stringMatching(sentence),
    });
  });

  test("says in one sentence that nobody listens there, and serves whoever comes later", async () => {
    await using rig = await Rig.start({ tcp: { token } });
    const { url } = rig.daemon;
    await rig.daemon.hide();
    const file = write(rig, "token", token);
    const args = ["--url", url, "--token-file", file];
    const sentence = `No dcode daemon listens at ${url}; start one with \`dcode serve\`, or name another with --socket or --url.`;
    expect(await run(rig, ...args)).toEqual({ code: 0, stderr: `dcode-acp: ${sentence}\n` });
    const agent = await rig.agent({
      command: [...NODE, program, ...args, "--state", rig.state],
    });
    const opening = agent.newSession(rig.cwd, new Listener());
    expect(await refusal(opening)).toMatchObject({ code: -32603, message: sentence });
    await rig.daemon.show();
    const { sessionId } = await agent.newSession(rig.cwd, new Listener());
    expect(await agent.prompt(sessionId, text("hi"))).toMatchObject({ stopReason: "end_turn" });
  });

  test("talks TLS to a server whose certificate is trusted, and to no other", async () => {
    const tls = createCertificate();
    await using rig = await Rig.start({ tcp: { token, tls } });
    const args = ["--url", rig.daemon.url, "--token-file", write(rig, "token", token)];
    expect(await run(rig, ...args)).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^dcode-acp: https:\S+ cannot be called safely \(\w+\): its certificate is not to be trusted here, or it speaks no TLS\.\n$/,
      ),
    });
    expect(rig.daemon.requests).toEqual([]);
    const agent = await rig.agent({
      command: [...NODE, program, ...args, "--state", rig.state],
      env: { NODE_EXTRA_CA_CERTS: write(rig, "ca.pem", tls.cert) },
    });
    const listener = new Listener();
    const { sessionId } = await agent.newSession(rig.cwd, listener);
    expect(await agent.prompt(sessionId, text("hi"))).toMatchObject({ stopReason: "end_turn" });
    expect(listener.said()).toBe("You said: hi. Done.");
  });
});
