/**
 * A small app for the terminal's tests, on Slack's own clients. In direct messages and where it is mentioned it streams
 * an answer that grows; to `ask` it answers with a button, to `hostile` with what a terminal would act on, to `no` with a
 * word that only its author sees, to `wait` with a session that runs until Stop.
 */
import { SocketModeClient } from "@slack/socket-mode";
import { WebClient } from "@slack/web-api";

const { SLACK_API_URL = "", SLACK_BOT_TOKEN = "", SLACK_APP_TOKEN = "" } = process.env;
const web = new WebClient(SLACK_BOT_TOKEN, { slackApiUrl: SLACK_API_URL });
const socket = new SocketModeClient({
  appToken: SLACK_APP_TOKEN,
  clientOptions: { slackApiUrl: SLACK_API_URL },
});

type Message = {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  /** Edits have none. */
  readonly text?: string;
  readonly user: string;
  readonly bot_id?: string;
  readonly files?: readonly { name: string; size: number }[];
};

async function answer({ channel, ts, thread_ts: thread = ts, text = "", user, files }: Message) {
  const place = { channel, thread_ts: thread };
  if (text.includes("ask")) {
    const button = {
      type: "button" as const,
      text: { type: "plain_text" as const, text: "Yes" },
      action_id: "yes",
    };
    const blocks = [
      { type: "section" as const, text: { type: "mrkdwn" as const, text: "Shall I?" } },
      { type: "actions" as const, block_id: "choice", elements: [button] },
    ];
    await web.chat.postMessage({ ...place, text: "Shall I?", blocks });
  } else if (text.includes("hostile")) {
    await web.chat.postMessage({ ...place, text: "a\u001b]0;owned\u0007\u001b[2Jb\r\u202ec" });
  } else if (text.includes("no,")) {
    await web.chat.postEphemeral({ channel, user, text: "Not you." });
  } else if (text.includes("wait")) {
    await web.apiCall("agents.sessions.setStatus", {
      channel_id: channel,
      thread_ts: thread,
      status: "processing",
    });
  } else {
    const [file] = files ?? [];
    const stream = await web.apiCall("chat.startStream", {
      ...place,
      recipient_user_id: user,
      recipient_team_id: "T0ACME",
      markdown_text: file ? `Got ${file.name} of ${file.size} bytes.` : "One,",
    });
    const at = { channel, ts: String(Object(stream).ts) };
    await web.apiCall("chat.appendStream", { ...at, markdown_text: " two," });
    await web.apiCall("chat.stopStream", { ...at, markdown_text: ` three: ${text}` });
  }
}

socket.on("message", async ({ event, ack }: { event: Message; ack: () => Promise<void> }) => {
  await ack();
  const { channel, text, bot_id: bot } = event;
  if (bot !== undefined || text === undefined) return;
  if (channel.startsWith("D") || text.includes("<@U0BOT>")) await answer(event);
});
socket.on("agent_session_stopped", async ({ event, ack }) => {
  await ack();
  await web.apiCall("agents.sessions.setStatus", {
    channel_id: event.channel,
    thread_ts: event.thread_ts,
    status: "active",
  });
  await web.chat.postMessage({
    channel: event.channel,
    thread_ts: event.thread_ts,
    text: "Halted.",
  });
});
socket.on("interactive", async ({ body, ack }) => {
  await ack();
  const text = `${body.user.name} said yes.`;
  await web.chat.update({
    channel: body.channel.id,
    ts: body.container.message_ts,
    text,
    blocks: [],
  });
});

process.once("SIGTERM", () => process.exit(0));
await socket.start();
