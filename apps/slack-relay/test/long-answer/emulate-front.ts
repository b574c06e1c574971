import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { signSlackRequest } from "@acp-kit/testkit";
import { createEmulator } from "emulate";

const app = { app_id: "A0AGENT", bot_id: "B0AGENT", bot_user_id: "U0AGENT" };
const TOKEN = "xoxb-agent";
const ANA_TOKEN = "xoxp-ana";
const SECRET = "signing-secret";

type Answer = Readonly<Record<string, unknown>> & { readonly ok: boolean };
type Block = { readonly type: string; readonly text?: unknown };

export type EmulateFront = AsyncDisposable & {
  /** Of the configuration. */
  readonly bot: object;
  readonly botUser: string;
  readonly channel: string;
  readonly direct: string;
  /** Methods that were asked for and are not there. */
  readonly lacking: ReadonlySet<string>;
  /** Ana posts, and the relay hears of it. Gives the `ts`. */
  readonly say: (requestUrl: string, channel: string, text: string) => Promise<string>;
  /** Blocks of each message of the bot in a thread. */
  readonly replies: (channel: string, thread: string) => Promise<readonly (readonly Block[])[]>;
};

/**
 * The independent emulator with what a relay cannot start without: it tells of no bot which app it is of, answers an
 * unknown method with a page instead of `unknown_method`, and sends events only where its own address is asked to.
 */
export async function startEmulateFront(): Promise<EmulateFront> {
  const emulator = await createEmulator({
    service: "slack",
    port: 0,
    seed: {
      slack: {
        users: [{ name: "ana", real_name: "Ana", email: "ana@acme.example" }],
        channels: [{ name: "shop" }],
        oauth_apps: [
          {
            ...app,
            ...{ client_id: "1.1", client_secret: "secret", name: "Agent", redirect_uris: [] },
            scopes: ["chat:write"],
          },
        ],
        tokens: [
          { token: TOKEN, user: app.bot_user_id, ...app },
          { token: ANA_TOKEN, user: "ana" },
        ],
        signing_secret: SECRET,
      },
    },
  });
  const ask = async (token: string, method: string, args: object): Promise<Answer> => {
    const response = await fetch(`${emulator.url}/api/${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    const answer = (await response.json()) as Answer;
    if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const lacking = new Set<string>();
  const server = createServer((request, response) => {
    void forward(emulator.url, request, response, lacking);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;

  const { user_id: ana, team_id: team } = await ask(ANA_TOKEN, "auth.test", {});
  const { channels } = await ask(TOKEN, "conversations.list", {});
  const channel = (channels as { id: string; name: string }[]).find(({ name }) => name === "shop");
  const opened = await ask(TOKEN, "conversations.open", { users: ana });
  const direct = (opened["channel"] as { id: string }).id;
  return {
    bot: { botToken: TOKEN, signingSecret: SECRET, apiUrl },
    ...{ botUser: app.bot_user_id, channel: channel?.id ?? "", direct, lacking },
    async say(requestUrl, place, text) {
      const { ts } = await ask(ANA_TOKEN, "chat.postMessage", { channel: place, text });
      const kind = place === direct ? "im" : "channel";
      const event = { type: "message", channel: place, channel_type: kind, user: ana, text, ts };
      const body = JSON.stringify({
        ...{ type: "event_callback", team_id: team, api_app_id: app.app_id },
        ...{ event_id: `Ev${String(ts)}`, event_time: Math.floor(Number(ts)), event },
      });
      const now = Math.floor(Date.now() / 1_000);
      const heard = await fetch(requestUrl, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-slack-request-timestamp": String(now),
          "x-slack-signature": signSlackRequest(SECRET, body, now),
        },
        body,
      });
      if (!heard.ok) throw new Error(`The event was answered with ${heard.status}.`);
      return String(ts);
    },
    async replies(place, thread) {
      const args = { channel: place, ts: thread, limit: 100 };
      const { messages } = await ask(TOKEN, "conversations.replies", args);
      return (messages as { ts: string; blocks?: Block[] }[])
        .filter(({ ts }) => ts !== thread)
        .map(({ blocks = [] }) => blocks);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await emulator.close();
    },
  };
}

async function forward(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  lacking: Set<string>,
): Promise<void> {
  const body = await buffer(request);
  const { authorization = "", "content-type": type = "" } = request.headers;
  const asked = await fetch(`${url}${request.url}`, {
    method: "POST",
    headers: { authorization, "content-type": type },
    body: new Uint8Array(body),
  });
  const method = request.url?.slice("/api/".length) ?? "";
  const isThere = asked.status !== 404;
  if (!isThere) lacking.add(method);
  const answer = isThere
    ? ((await asked.json()) as { bot?: object })
    : { ok: false, error: "unknown_method" };
  if ("bot" in answer) answer.bot = { ...answer.bot, app_id: app.app_id };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
