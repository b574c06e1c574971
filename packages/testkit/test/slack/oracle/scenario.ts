import { createClient, letters, outcomeOf } from "../rig.ts";
import type { Platform } from "./platform.ts";

/** What both platforms must answer alike: by what it asks, and how it is asked. */
export type Step = (platform: Platform) => Promise<unknown>;

const bytes = Buffer.from("a,b\n1,2\n");

export const scenario: Readonly<Record<string, Step>> = {
  "a thread is its root and its replies in their order": async ({ client, channel, say }) => {
    const root = await say("root");
    await client.chat.postMessage({ channel, text: "one", thread_ts: root });
    await say("two", root);
    const { messages } = await client.conversations.replies({ channel, ts: root });
    return messages?.map(({ text }) => text);
  },
  "a history is newest first, without replies": async ({ client, channel, say }) => {
    const root = await say("first");
    await say("reply", root);
    await say("second");
    const { messages } = await client.conversations.history({ channel, limit: 2 });
    return messages?.map(({ text }) => text);
  },
  "an edit replaces the text, a deletion the message": async ({ client, channel }) => {
    const { ts = "" } = await client.chat.postMessage({ channel, text: "old" });
    await client.chat.update({ channel, ts, text: "new" });
    const read = async () =>
      (await client.conversations.history({ channel, latest: ts, inclusive: true, limit: 1 }))
        .messages;
    const edited = (await read())?.map(({ text }) => text);
    await client.chat.delete({ channel, ts });
    return [edited, (await read())?.some((message) => message.ts === ts)];
  },
  "blocks come back as they were sent": async ({ client, channel }) => {
    const blocks = [
      { type: "markdown" as const, text: "# Title\n\n- one" },
      { type: "divider" as const },
    ];
    await client.chat.postMessage({ channel, text: "fallback", blocks });
    const { messages } = await client.conversations.history({ channel, limit: 1 });
    return messages?.map((message) => message.blocks?.map(({ type }) => type));
  },
  "metadata comes back when it is asked for": async ({ client, channel }) => {
    const metadata = { event_type: "part", event_payload: { id: "1" } };
    await client.chat.postMessage({ channel, text: "x", metadata });
    const page = await client.conversations.history({
      channel,
      limit: 1,
      include_all_metadata: true,
    });
    return page.messages?.[0]?.metadata;
  },
  "an ephemeral message is in no history": async ({ client, channel, user }) => {
    await client.chat.postEphemeral({ channel, user, text: "psst" });
    const { messages } = await client.conversations.history({ channel });
    return messages?.filter(({ text }) => text === "psst");
  },
  "a reaction is there once, and gone once": async ({ client, channel, say }) => {
    const timestamp = await say("x");
    const place = { channel, timestamp, name: "eyes" };
    return [
      await outcomeOf(client.reactions.add(place)),
      await outcomeOf(client.reactions.add(place)),
      await outcomeOf(client.reactions.remove(place)),
      await outcomeOf(client.reactions.remove(place)),
    ];
  },
  "a file arrives whole": async ({ client, channel, token }) => {
    await client.filesUploadV2({ channel_id: channel, file: bytes, filename: "table.csv" });
    const { messages } = await client.conversations.history({ channel, limit: 1 });
    const [file] = messages?.[0]?.files ?? [];
    const response = await fetch(String(file?.url_private), {
      headers: { authorization: `Bearer ${token}` },
    });
    return [file?.name, file?.size, Buffer.from(await response.arrayBuffer()).equals(bytes)];
  },
  "a text above 40,000 characters is cut with a warning": async ({ client, channel }) => {
    const posted = await client.chat.postMessage({ channel, text: letters(40_001) });
    const { messages } = await client.conversations.history({ channel, limit: 1 });
    return [posted.response_metadata?.warnings, messages?.[0]?.text?.length];
  },
  "a view needs a trigger": async ({ client }) => {
    const view = {
      type: "modal",
      title: { type: "plain_text", text: "x" },
      blocks: [{ type: "divider" }],
    };
    return await outcomeOf(client.apiCall("views.open", { trigger_id: "made-up", view }));
  },
  "an unknown channel is not found": async ({ client }) =>
    await outcomeOf(client.chat.postMessage({ channel: "C0NOWHERE", text: "x" })),
  "an empty message is none": async ({ client, channel }) =>
    await outcomeOf(client.apiCall("chat.postMessage", { channel })),
  "a message that is not there cannot be edited": async ({ client, channel }) =>
    await outcomeOf(client.chat.update({ channel, ts: "1.000001", text: "x" })),
  "somebody else's message cannot be edited": async ({ client, channel, say }) =>
    await outcomeOf(client.chat.update({ channel, ts: await say("mine"), text: "x" })),
  "an unknown person is not found": async ({ client }) =>
    await outcomeOf(client.users.info({ user: "U0NOBODY" })),
};

/**
 * What only we have: named with what the emulator answers to it. Beside it, it has no clicks, slash commands, Stop or
 * Home, for which there is no call to ask by.
 */
export const lacking: Readonly<
  Record<string, { readonly ask: Step; readonly ours: unknown; readonly emulators: unknown }>
> = {
  "native streams": {
    ask: async ({ client, channel, say, user }) =>
      await outcomeOf(
        client.chat.startStream({
          channel,
          thread_ts: await say("x"),
          recipient_user_id: user,
          recipient_team_id: "T0ACME",
        }),
      ),
    ours: "ok",
    emulators: "HTTP 404",
  },
  "the status of a thread": {
    ask: async ({ client, channel, say }) =>
      await outcomeOf(
        client.assistant.threads.setStatus({
          channel_id: channel,
          thread_ts: await say("x"),
          status: "is thinking",
        }),
      ),
    ours: "ok",
    emulators: "HTTP 404",
  },
  "sessions of agents": {
    ask: async ({ client, channel, say }) =>
      await outcomeOf(
        client.apiCall("agents.sessions.setStatus", {
          channel_id: channel,
          thread_ts: await say("x"),
          status: "processing",
        }),
      ),
    ours: "ok",
    emulators: "HTTP 404",
  },
  "Socket Mode": {
    ask: async ({ client }) => await outcomeOf(client.apiCall("apps.connections.open")),
    ours: "not_allowed_token_type",
    emulators: "HTTP 404",
  },
  markdown_text: {
    ask: async ({ client, channel }) =>
      await outcomeOf(client.apiCall("chat.postMessage", { channel, markdown_text: "x" })),
    ours: "ok",
    emulators: "no_text",
  },
  "the limit of 50 blocks": {
    ask: async ({ client, channel }) =>
      await outcomeOf(
        client.apiCall("chat.postMessage", {
          channel,
          blocks: Array.from({ length: 51 }, () => ({ type: "divider" })),
        }),
      ),
    ours: "msg_blocks_too_many",
    emulators: "ok",
  },
  "types of blocks": {
    ask: async ({ client, channel }) =>
      await outcomeOf(
        client.apiCall("chat.postMessage", { channel, blocks: [{ type: "marquee" }] }),
      ),
    ours: "invalid_blocks",
    emulators: "ok",
  },
  "the limit of 4,000 characters of an edit": {
    ask: async ({ client, channel }) => {
      const { ts = "" } = await client.chat.postMessage({ channel, text: "x" });
      return await outcomeOf(client.chat.update({ channel, ts, text: letters(4_001) }));
    },
    ours: "msg_too_long",
    emulators: "ok",
  },
  "threads that must be there": {
    ask: async ({ client, channel }) =>
      await outcomeOf(client.chat.postMessage({ channel, text: "x", thread_ts: "1.000001" })),
    ours: "invalid_thread_ts",
    emulators: "ok",
  },
  "the thread of a thread's first message": {
    ask: async ({ client, channel, say }) => {
      const root = await say("root");
      await say("reply", root);
      const { messages } = await client.conversations.replies({ channel, ts: root });
      return messages?.map((message) => message.thread_ts === root);
    },
    ours: [true, true],
    emulators: [false, true],
  },
  "that a page begins behind its oldest": {
    ask: async ({ client, channel, say }) => {
      const root = await say("root");
      const one = await say("one", root);
      await say("two", root);
      const { messages } = await client.conversations.replies({ channel, ts: root, oldest: one });
      return messages?.map(({ text }) => text);
    },
    ours: ["two"],
    emulators: ["root", "one", "two"],
  },
  "tokens that it has to know": {
    ask: async ({ apiUrl }) => await outcomeOf(createClient(apiUrl, "xoxb-wrong").auth.test()),
    ours: "invalid_auth",
    emulators: "ok",
  },
  "limits of rate": {
    ask: async ({ client }) => {
      const calls = Array.from({ length: 21 }, () => outcomeOf(client.conversations.list()));
      return (await Promise.all(calls)).filter((outcome) => outcome === "ratelimited").length;
    },
    ours: 1,
    emulators: 0,
  },
  "the page for signing in, in the place of a file": {
    ask: async ({ client, channel }) => {
      await client.filesUploadV2({ channel_id: channel, file: bytes, filename: "table.csv" });
      const { messages } = await client.conversations.history({ channel, limit: 1 });
      const response = await fetch(String(messages?.[0]?.files?.[0]?.url_private));
      return response.status;
    },
    ours: 200,
    emulators: 401,
  },
};
