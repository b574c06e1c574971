import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Script } from "@acp-kit/demo-agent";
import { waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const CHANNEL = "C0SHOP";
const agent: Script = { prompt: [{ kind: "text", text: "The answer." }] };

/** Files of the relay in which a word stands, or whose names have it. Another process reads them: it takes no locks away. */
function filesWith(relay: KeptRelay, word: string): readonly string[] {
  const state = path.join(relay.root, "state");
  const held = spawnSync("grep", ["-rlaF", word, state], { encoding: "utf8" }).stdout;
  const named = spawnSync("find", [state, "-name", `*${word}*`], { encoding: "utf8" }).stdout;
  return `${held}${named}`.split("\n").filter(Boolean);
}

test("of a message that is deleted neither its text nor its file is kept, nor what it said before it was edited", async () => {
  await using relay = await KeptRelay.start({ agent });
  const ana = relay.slack.person("U0ANA");
  const file = { name: "swordfish.txt", bytes: Buffer.from("swordfish inside") };
  const asked = ana.say(CHANNEL, "<@U0BOT> the swordfish", { files: [file] });
  await relay.shows("U0ANA", CHANNEL, /The answer\./);
  ana.edit(CHANNEL, asked, "<@U0BOT> the other swordfish");
  await relay.slack.settled();
  await waitFor("the button", () => ana.buttons(CHANNEL).length > 0, SOON_MS);
  await ana.click(CHANNEL, "Run again");
  await waitFor("the second prompt", () => relay.prompts.length === 2, SOON_MS);
  await relay.shows("U0ANA", CHANNEL, /The answer\.[\s\S]*The answer\./);
  expect(filesWith(relay, "swordfish")).not.toEqual([]);
  ana.delete(CHANNEL, asked);
  await relay.slack.settled();
  await waitFor("the words to go", () => filesWith(relay, "swordfish").length === 0, SOON_MS);
  expect(filesWith(relay, "The answer.")).not.toEqual([]);
  // It goes on without it.
  ana.say(CHANNEL, "<@U0BOT> more", { thread: asked });
  await waitFor("the third prompt", () => relay.prompts.length === 3, SOON_MS);
  expect(relay.stderr).not.toContain("swordfish");
});
