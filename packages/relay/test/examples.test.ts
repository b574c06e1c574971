import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory, within } from "./support.ts";

const folder = join(import.meta.dirname, "../examples");
const node = ["--conditions=@acp-kit/source"];

test("examples/pace.ts prints what its comments say", () => {
  const file = join(folder, "pace.ts");
  const printed = execFileSync(process.execPath, [...node, file], { encoding: "utf8" });
  const source = readFileSync(file, "utf8");
  const claimed = [...source.matchAll(/console\.log\(.*\); \/\/ (\w+)/g)].map((match) => match[1]);
  expect(claimed).toHaveLength(3);
  expect(printed.trimEnd().split("\n")).toEqual(claimed);
}, 60_000);

test("examples/app.ts is a relay that starts, answers and stops", async () => {
  const root = temporaryDirectory();
  const child = spawn(process.execPath, [...node, join(folder, "app.ts"), "start", "--port", "0"], {
    env: {
      PATH: process.env["PATH"],
      HOME: root,
      TMPDIR: root,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const [text] = await within(once(child.stdout, "data"), 30_000);
  const [, url = ""] = /^Address +(\S+)$/m.exec(String(text)) ?? [];
  expect(await (await fetch(url)).text()).toBe("operator");
  child.kill("SIGTERM");
  expect(await within(exited, 30_000)).toEqual([0, null]);
}, 60_000);
