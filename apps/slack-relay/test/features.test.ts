import type { Script } from "@acp-kit/demo-agent";
import type { BotConfig } from "@acp-kit/relay";
import { formatManifest } from "@acp-kit/slack-surface";
import { type FakeSlack, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";

const FEATURES = [
  ...["channels", "private-channels", "group-messages", "direct-messages", "files-in"],
  ...["files-out", "signs", "reactions", "first-messages", "catch-up"],
];

/** Where people talk; each is a feature. */
const PLACES = [
  { id: "C0SHOP", kind: "public", feature: "channels" },
  { id: "C0QUIET", kind: "private", feature: "private-channels" },
  { id: "G0GROUP", kind: "mpim", feature: "group-messages" },
  { id: "D0ANA", kind: "im", feature: "direct-messages" },
] as const;

const blob = Buffer.from("a,b\n").toString("base64");
const resource = { uri: "file:///tmp/table.csv", mimeType: "text/csv", blob };

/** Sends a file, and asks what another person has to allow. */
const agent: Script = {
  prompt: [
    { kind: "text", text: "Begun." },
    {
      kind: "update",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "resource", resource } },
    },
    {
      kind: "ask",
      toolCall: { toolCallId: "t1", title: "rm", kind: "delete", rawInput: { command: "rm x" } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    },
    { kind: "text", text: "\n\nOver." },
  ],
};

/** Everything that people do, in all places that the bot hears, and across a restart. */
async function talk(relay: KeptRelay, features: readonly string[]): Promise<void> {
  const { slack } = relay;
  const [ana, bob] = [slack.person("U0ANA"), slack.person("U0BOB")];
  const places = PLACES.filter(({ feature }) => features.includes(feature)).map(({ id }) => id);
  const file = { name: "notes.txt", bytes: Buffer.from("notes") };
  // What became of a post is looked up then.
  slack.fail("chat.postMessage", { kind: "lose-answer" }, places.length);
  const ask = async (channel: string) => {
    const thread = ana.say(channel, "before");
    if (channel.startsWith("D")) return await answer(relay, channel);
    bob.say(channel, "in between", { thread });
    const asked = ana.say(channel, "<@U0BOT> go", { thread, files: [file] });
    await answer(relay, channel);
    ana.edit(channel, asked, "<@U0BOT> gone");
    const own = slack.messages(channel).find(({ isFromApp }) => isFromApp);
    ana.react(channel, own?.ts ?? "", "thumbsup");
    await slack.settled();
  };
  await Promise.all(places.map(ask));
  // Nobody is heard where the bot takes no part, though mentions come from everywhere.
  const closed = PLACES.filter(({ feature }) => !features.includes(feature)).map(({ id }) => id);
  for (const channel of closed) ana.say(channel, "<@U0BOT> here");
  await slack.settled();
  await relay.crash();
  for (const channel of places) ana.say(channel, "<@U0BOT> while you were away");
  await relay.start();
  await Promise.all(places.map((channel) => answer(relay, channel)));
  const own = closed.flatMap((channel) => slack.messages(channel)).filter((one) => one.isFromApp);
  expect(own).toEqual([]);
}

/** Says yes to the next question of a place, and waits for the end of its turn. */
async function answer(relay: KeptRelay, channel: string): Promise<void> {
  const { slack } = relay;
  const ended = () => slack.person("U0ANA").see(channel).split("Over.").length - 1;
  const before = ended();
  const approver = slack.person(channel === "D0ANA" ? "U0ANA" : "U0BOB");
  const yes = () => approver.buttons(channel).find(({ text }) => /Allow/.test(text));
  await waitFor(`the question in ${channel}`, () => yes() !== undefined, SOON_MS);
  await approver.click(channel, yes() ?? "");
  await waitFor(`the end in ${channel}`, () => ended() > before, SOON_MS);
}

async function callsOf(features: readonly string[]): Promise<FakeSlack["calls"]> {
  const bot = { features, slashCommand: "/agent" };
  const config = { surface: "slack", path: "/slack/events", agentView: true, defaults: {}, ...bot };
  const manifest = JSON.parse(formatManifest([["chat", config as unknown as BotConfig]], {}));
  await using relay = await KeptRelay.start({
    agent,
    bot,
    config: {
      access: [
        { users: ["U0ANA"], slack: { dm: true }, role: "operator" },
        { users: ["U0ANA", "U0BOB"], role: "user", approvers: ["U0BOB"] },
      ],
    },
    slack: {
      channels: PLACES.map(({ id, kind }) => ({
        ...{ id, kind, name: id.toLowerCase() },
        members: ["U0ANA", "U0BOT", ...(kind === "im" ? [] : ["U0BOB"])],
      })),
      app: {
        scopes: manifest.oauth_config.scopes.bot,
        events: manifest.settings.event_subscriptions.bot_events,
      },
    },
  });
  await talk(relay, features);
  return relay.slack.calls;
}

const sets = [
  ["all", FEATURES],
  ["none but channels", ["channels"]],
  ...(isSoak
    ? FEATURES.map((off) => [`all but ${off}`, FEATURES.filter((one) => one !== off)] as const)
    : []),
] as const;

test.each(sets)(
  "C36: with the features: %s, nothing is called that needs another scope",
  async (_, features) => {
    const calls = await callsOf(features);
    const refused = calls.filter(({ outcome }) => outcome === "missing_scope");
    expect(refused.map(({ method, args }) => [method, args["channel"]])).toEqual([]);
  },
  3 * SOON_MS,
);
