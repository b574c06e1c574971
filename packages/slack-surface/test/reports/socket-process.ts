/** Keeps one connection by Slack's own client or by ours, as a process of its own: `theirs` or `ours`, and two addresses. */
import process from "node:process";
import { SocketModeClient } from "@slack/socket-mode";
import {
  createSlackCaller,
  createSlackSocketOpener,
  SocketSupervisor,
  systemClock,
} from "../../src/index.ts";
import { quietLogger } from "./slack-clients.ts";

const [whose, apiUrl = "", appToken = ""] = process.argv.slice(2);

if (whose === "theirs") {
  const client = new SocketModeClient({
    appToken,
    clientOptions: { slackApiUrl: apiUrl, retryConfig: { retries: 1, minTimeout: 10 } },
    // It waits as long before it comes back.
    clientPingTimeout: 50,
    logger: quietLogger,
  });
  await client.start();
} else {
  new SocketSupervisor({
    open: createSlackSocketOpener({
      call: createSlackCaller({ token: appToken, apiUrl }),
      clock: systemClock,
    }),
    clock: systemClock,
    connections: 1,
    onEnvelope: ({ ack }) => ack(),
  });
}
