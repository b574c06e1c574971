import type { WebClient } from "@slack/web-api";
import { createEmulator } from "emulate";
import { onTestFinished } from "vitest";
import { createClient, startSlack } from "../rig.ts";

/** A workspace with a channel `shop`, in which the app and ana are. */
export type Platform = {
  readonly apiUrl: string;
  readonly token: string;
  readonly client: WebClient;
  readonly channel: string;
  readonly user: string;
  /** Ana posts. Gives the `ts`. */
  readonly say: (text: string, thread?: string) => Promise<string>;
};

export async function startFake(): Promise<Platform> {
  const { slack, client } = await startSlack();
  const say = async (text: string, thread?: string) =>
    slack.person("U0ANA").say("C0SHOP", text, thread === undefined ? {} : { thread });
  const token = slack.app.botToken;
  return { apiUrl: slack.apiUrl, token, client, channel: "C0SHOP", user: "U0ANA", say };
}

const TOKEN = "xoxb-agent";
const ANA_TOKEN = "xoxp-ana";
const scopes = [
  "channels:history",
  "channels:read",
  "chat:write",
  "files:read",
  "files:write",
  "im:write",
  "reactions:write",
  "users:read",
];

/** The independent emulator: what is ours here is only the seed. */
export async function startEmulate(): Promise<Platform> {
  const emulator = await createEmulator({
    service: "slack",
    port: 0,
    seed: {
      slack: {
        team: { name: "acme", domain: "acme" },
        users: [
          { name: "ana", real_name: "Ana", email: "ana@acme.example" },
          { name: "agent", real_name: "Agent", email: "agent@acme.example" },
        ],
        channels: [{ name: "shop" }],
        tokens: [
          { token: TOKEN, user: "agent", scopes },
          { token: ANA_TOKEN, user: "ana", scopes },
        ],
        strict_scopes: true,
      },
    },
  });
  onTestFinished(() => emulator.close());
  const apiUrl = `${emulator.url}/api/`;
  const client = createClient(apiUrl, TOKEN);
  const ana = createClient(apiUrl, ANA_TOKEN);
  const { channels } = await client.conversations.list();
  const channel = channels?.find(({ name }) => name === "shop")?.id ?? "";
  const user = (await ana.auth.test()).user_id ?? "";
  const say = async (text: string, thread?: string) => {
    const place = { channel, text };
    const posted = await ana.chat.postMessage(
      thread === undefined ? place : { ...place, thread_ts: thread },
    );
    return posted.ts ?? "";
  };
  return { apiUrl, token: TOKEN, client, channel, user, say };
}
