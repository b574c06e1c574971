import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { collectOrphans, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test } from "vitest";
import { SOON_MS } from "./kept-relay.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** `pnpm start:slack`, without what pnpm does, five times as fast. */
function startDemo() {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const instance = `demo-${process.pid}-${performance.now().toFixed()}`;
  const [, ...words] = String(scripts["start:slack"])
    .split(" ")
    .map((word) => (word === "node" ? process.execPath : word));
  const flags = ["--speed", "5", "--instance", instance];
  const child = spawn(process.execPath, [...words, ...flags], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const closed = once(child, "close");
  return {
    child,
    shows: (what: string) => waitFor(what, () => output.includes(what), SOON_MS),
    output: () => output,
    async ends() {
      const [code] = await waitFor("its end", closed, SOON_MS);
      expect(await collectOrphans(instance)).toEqual([]);
      return code;
    },
  };
}

test("the demo shows an agent at work in a terminal: it asks, is answered by a button, is stopped, and leaves nothing", {
  timeout: 2 * SOON_MS,
}, async () => {
  const demo = startDemo();
  demo.child.stdin.write("ask\n/press 1\n/wait allowed once by @ana\n/wait Have fun!\n");
  await demo.shows("Have fun!");
  expect(demo.output()).toMatch(/\[1 Allow once\][\s\S]*✓ allowed once by @ana/);
  demo.child.stdin.write("again\n/wait Read README.md\n/stop\n!status\n/wait nothing runs\n");
  await demo.shows("nothing runs");
  demo.child.kill("SIGINT");
  expect(await demo.ends()).toBe(0);
  expect(demo.output()).toMatch(/Ending the app[^\n]*\n$/);
});
