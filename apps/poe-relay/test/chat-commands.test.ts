import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createPoeId, waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const agent = {
  agent: {
    models: [
      { id: "claude-opus-4-5", name: "Opus 4.5" },
      { id: "claude-sonnet-4-5", name: "Sonnet 4.5" },
    ],
    modes: [
      { id: "default", name: "Ask" },
      { id: "plan", name: "Plan" },
    ],
  },
  prompt: [{ kind: "text", text: "{{model}} {{mode}} in {{cwd}}" }],
} as const;

function checkout(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "shop-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"];
    execFileSync("git", [...who, ...args], { cwd: root, stdio: "ignore" });
  };
  git("init", "--quiet", "--initial-branch=main");
  mkdirSync(path.join(root, "src"));
  writeFileSync(path.join(root, "src", "cart.ts"), "one\ntwo\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  return root;
}

test("a person steers model, mode and project from the chat, and sees what has changed in the files", {
  timeout: 5 * SOON_MS,
}, async () => {
  const shop = checkout();
  await using relay = await KeptRelay.start(agent, {
    bots: {
      poe: {
        surface: "poe",
        accessKeys: ["0123456789abcdefghijklmnopqrstuv"],
        workspace: "shop",
        defaults: { model: "claude-opus-4-5" },
      },
    },
    workspaces: {
      shop: { isolation: "shared", path: shop },
      notes: { isolation: "scratch" },
      secret: { isolation: "scratch" },
    },
    access: [
      { users: ["u-op"], role: "operator" },
      { users: ["*"], workspaces: ["shop", "notes"], modes: ["default", "plan"] },
    ],
  });
  const conversation = createPoeId("c");
  const say = async (text: string, who: { userId?: string } = {}) => {
    const query = relay.poe.query({ text, conversation, ...who });
    expect(await waitFor(text, query.done, SOON_MS)).toMatchObject({ how: "done" });
    expect(query.violations).toEqual([]);
    return query.body();
  };
  expect(await say("!Help")).toContain("- `!model [name | default]`: list the models");
  expect(await say("!status")).toContain("session: the next message starts one");
  expect(await say("hello")).toContain(`claude-opus-4-5 default in ${shop}`);
  expect(await say("!models")).toContain("- `claude-opus-4-5` · Opus 4.5 ← now");
  expect(await say("!model Sonnet")).toContain("`claude-sonnet-4-5`");
  expect(await say("!mode pl")).toContain("`plan`");
  expect(await say("!status")).toMatch(
    /model: `claude-sonnet-4-5`, chosen by you, from the next message/,
  );
  expect(await say("and now")).toContain("claude-sonnet-4-5 plan");
  writeFileSync(path.join(shop, "src", "cart.ts"), "one\n2\n");
  expect(await say("!diff")).toMatch(/1 file changed[^\n]* \+1 −1[\s\S]*-two\n\+2/);
  expect(await say("!files")).not.toContain("did not work");
  expect(await say("!project")).not.toContain("secret");
  expect(await say("!project secret")).toContain("No project is like");
  expect(await say("!project note")).toContain("`note` → `notes`");
  expect(await say("where am I?")).not.toContain(shop);
  expect(await say("!diff")).toContain("no git checkout");
  expect(await say("!cost")).toContain("3 turns");
  expect(await say("!pause")).toContain("not open to you");
  const operator = { userId: "u-op" };
  expect(await say("!pause Back at 5", operator)).toContain("Paused");
  expect(await say("go on")).toContain("Back at 5");
  expect(await say("!pause off", operator)).toBe("No longer paused.");
  expect(await say("!retry")).not.toContain("paused");
  // In a new conversation what a person chose before their first message holds for it.
  const fresh = async (text: string, where: string) => {
    const query = relay.poe.query({ text, conversation: where });
    await waitFor(text, query.done, SOON_MS);
    return query.body();
  };
  const other = createPoeId("c");
  expect(await fresh("!model sonnet", other)).toContain("`claude-sonnet-4-5`");
  expect(await fresh("hello", other)).toContain("claude-sonnet-4-5 default");
  expect(relay.prompts.join("\n")).not.toMatch(/(?<!\w)!\w/);
});
