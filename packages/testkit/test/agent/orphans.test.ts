import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { collectOrphans } from "../../src/index.ts";

const waits = (marker: string) => `setTimeout(() => {}, 60_000); // ${marker}`;

test("there are none while this process has no children", async () => {
  expect(await collectOrphans("no-process-has-this-in-its-command")).toEqual([]);
});

test("a child is found until it has ended", async () => {
  const child = spawn(process.execPath, ["-e", waits("child")]);
  const [found] = await collectOrphans(undefined, 0);
  expect(found).toMatchObject({ pid: child.pid, parent: process.pid });
  expect(found?.command).toContain("60_000");
  child.kill("SIGKILL");
  expect(await collectOrphans()).toEqual([]);
});

test("a process that has lost its parent is found by its marker only", async () => {
  const marker = `orphan-of-${process.pid}`;
  const source = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", ${JSON.stringify(waits(marker))}], { stdio: "ignore", detached: true });
    child.unref();
    console.log(child.pid);
  `;
  const parent = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(chunk.toString());
  await once(parent, "exit");
  try {
    expect(await collectOrphans(undefined)).toEqual([]);
    expect((await collectOrphans(marker, 0)).map((orphan) => orphan.pid)).toEqual([pid]);
  } finally {
    process.kill(pid, "SIGKILL");
  }
  expect(await collectOrphans(marker)).toEqual([]);
});
