import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readRecord, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { startFileHost } from "./file-host.ts";
import { RelayProcess, SOON_MS } from "./relay-process.ts";

const CONTENT = "one,two\n";

test("C27: a file that is sent to an agent in a git checkout, which takes no other directory, is lent to it there out of git's sight, and its URL is nowhere in the log", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "pr-checkout-"));
  const checkout = path.join(root, "shop");
  mkdirSync(checkout);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", checkout, "-c", "user.name=n", "-c", "user.email=e@x", ...args], {
      encoding: "utf8",
    });
  git("init", "-q");
  writeFileSync(path.join(checkout, "README.md"), "# Shop\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  await using host = await startFileHost(() => Buffer.from(CONTENT));
  await using relay = await RelayProcess.start({
    agent: { prompt: [{ kind: "text", text: "seen in {{cwd}}" }] },
    config: {
      access: [{ users: ["*"], role: "user" }],
      ...host.config,
    },
    flags: ["--workspace", checkout],
    env: host.env,
  });
  const attachments = [
    { url: "https://files.example/a.csv?sig=secret-17", content_type: "text/csv", name: "a.csv" },
  ];
  const query = relay.poe.query({ messages: [{ role: "user", content: "look", attachments }] });
  expect((await waitFor("the answer", query.done, SOON_MS)).how).toBe("done");
  expect(query.body()).toContain(`seen in ${checkout}`);
  expect(host.asked).toEqual(["files.example:443"]);
  const prompts = readRecord(relay.record).flatMap((fact) =>
    fact.kind === "received" && fact.method === "session/prompt" ? [fact.params] : [],
  );
  const [, uri = ""] = /"(file:[^"]*a\.csv)"/.exec(JSON.stringify(prompts)) ?? [];
  expect(readFileSync(fileURLToPath(uri), "utf8")).toBe(CONTENT);
  expect(fileURLToPath(uri).startsWith(path.join(checkout, ".acp-kit"))).toBe(true);
  expect(git("status", "--porcelain")).toBe("");
  // C27: the URL is a key to the file.
  expect(relay.stderr).not.toContain("secret-17");
  rmSync(root, { recursive: true, force: true });
});
