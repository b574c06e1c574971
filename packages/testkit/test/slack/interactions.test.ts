import { describe, expect, test } from "vitest";
import { payloadOf, type Reaction, startApp } from "./app.ts";
import { outcomeOf, startSlack } from "./rig.ts";

const channel = "C0SHOP";
const question = [
  { type: "section", text: { type: "plain_text", text: "Run it?" } },
  {
    type: "actions",
    block_id: "ask",
    elements: [
      { type: "button", action_id: "yes", text: { type: "plain_text", text: "Yes" }, value: "1" },
      { type: "button", action_id: "no", text: { type: "plain_text", text: "No" }, value: "2" },
    ],
  },
];
const modal = (title: string) => ({
  type: "modal",
  title: { type: "plain_text", text: title },
  blocks: [{ type: "divider" }],
});

async function ask(react?: Reaction) {
  const app = await startApp(react);
  const rig = await startSlack({ transport: { requestUrl: app.url } });
  const { ts = "" } = await rig.client.chat.postMessage({ channel, text: "?", blocks: question });
  await rig.slack.settled();
  const last = () => payloadOf(app.received.at(-1) ?? { headers: {}, body: "" });
  return { ...rig, ...app, ts, ana: rig.slack.person("U0ANA"), last };
}

describe("a click", () => {
  test("says who pressed what where", async () => {
    const { ana, ts, last } = await ask();
    expect(await ana.click(channel, "Yes")).toMatchObject({ state: "acknowledged", attempts: 1 });
    expect(last()).toMatchObject({
      type: "block_actions",
      user: { id: "U0ANA", team_id: "T0ACME" },
      team: { id: "T0ACME" },
      channel: { id: channel },
      container: { message_ts: ts, channel_id: channel },
      message: { ts },
      actions: [{ action_id: "yes", block_id: "ask", value: "1" }],
    });
  });

  test("is not repeated when it is lost", async () => {
    const { ana, clock, received } = await ask(({ body }) =>
      body.startsWith("payload") ? { status: 500 } : {},
    );
    const before = received.length;
    expect(await ana.click(channel, "Yes")).toMatchObject({ state: "lost" });
    clock.advance(3_600_000);
    expect(received.length).toBe(before + 1);
  });

  test("may come from a screen that still shows what is gone", async () => {
    const { ana, client, ts, last } = await ask();
    const [yes] = ana.buttons(channel);
    await client.chat.update({ channel, ts, text: "over", blocks: [] });
    expect(ana.buttons(channel)).toEqual([]);
    await expect(ana.click(channel, "Yes")).rejects.toThrow("sees no button");
    await ana.click(channel, yes ?? "");
    expect(last()).toMatchObject({ actions: [{ action_id: "yes" }] });
  });
});

describe("a response_url", () => {
  async function clicked() {
    const rig = await ask();
    await rig.ana.click(channel, "Yes");
    const respond = (body: object) =>
      fetch(String(rig.last()["response_url"]), { method: "POST", body: JSON.stringify(body) });
    return { ...rig, respond };
  }

  test("replaces or deletes the message, or answers its person alone", async () => {
    const { respond, slack, ana } = await clicked();
    await respond({ text: "psst" });
    expect(slack.person("U0BOB").see(channel)).not.toContain("psst");
    await respond({ replace_original: true, text: "decided", blocks: [] });
    expect(ana.see(channel)).toBe("agent: decided\nagent: psst  (only you)");
    await respond({ delete_original: true });
    expect(ana.see(channel)).toBe("agent: psst  (only you)");
  });

  test("is good for 5 answers", async () => {
    const { respond } = await clicked();
    for (let each = 0; each < 5; each += 1) expect((await respond({ text: "x" })).status).toBe(200);
    expect(await (await respond({ text: "x" })).text()).toBe("used_url");
  });

  test("is good for 30 minutes", async () => {
    const { respond, clock } = await clicked();
    clock.advance(1_799_999);
    expect((await respond({ text: "x" })).status).toBe(200);
    clock.advance(1);
    expect(await (await respond({ text: "x" })).text()).toBe("expired_url");
  });
});

describe("a modal", () => {
  test("opens once for each trigger, within 3 s", async () => {
    const { ana, client, clock, last } = await ask();
    await ana.click(channel, "Yes");
    const trigger_id = String(last()["trigger_id"]);
    const open = (id: string, title = "Run") =>
      outcomeOf(client.apiCall("views.open", { trigger_id: id, view: modal(title) }));
    expect(await open("made-up")).toBe("invalid_trigger_id");
    clock.advance(2_999);
    expect(await open(trigger_id)).toBe("ok");
    expect(ana.views).toHaveLength(1);
    expect(await open(trigger_id)).toBe("exchanged_trigger_id");
    await ana.click(channel, "Yes");
    clock.advance(3_000);
    expect(await open(String(last()["trigger_id"]))).toBe("expired_trigger_id");
  });

  test("has 24 characters in its title, 100 blocks, and 3,000 characters of its own", async () => {
    const { ana, client, last } = await ask();
    const open = async (view: object) => {
      await ana.click(channel, "Yes");
      const args = { trigger_id: String(last()["trigger_id"]), view };
      return await outcomeOf(client.apiCall("views.open", args));
    };
    const blocks = (count: number) => Array.from({ length: count }, () => ({ type: "divider" }));
    expect(await open(modal("x".repeat(24)))).toBe("ok");
    expect(await open(modal("x".repeat(25)))).toBe("invalid_arguments");
    expect(await open({ ...modal("x"), blocks: blocks(100) })).toBe("ok");
    expect(await open({ ...modal("x"), blocks: blocks(101) })).toBe("msg_blocks_too_many");
    expect(await open({ ...modal("x"), private_metadata: "x".repeat(3_000) })).toBe("ok");
    expect(await open({ ...modal("x"), private_metadata: "x".repeat(3_001) })).toBe(
      "invalid_arguments",
    );
  });

  test("is updated only by who knows its newest hash", async () => {
    const { ana, client, last } = await ask();
    await ana.click(channel, "Yes");
    const trigger_id = String(last()["trigger_id"]);
    const opened = await client.apiCall("views.open", { trigger_id, view: modal("One") });
    const { id, hash } = (opened as { view?: { id: string; hash: string } }).view ?? {};
    const update = (title: string) =>
      outcomeOf(client.apiCall("views.update", { view_id: id, hash, view: modal(title) }));
    expect(await update("Two")).toBe("ok");
    expect(await update("Three")).toBe("hash_conflict");
  });

  test("stays with its errors, and closes when the submission is accepted", async () => {
    let answer = JSON.stringify({ response_action: "errors", errors: { name: "Too short." } });
    const { ana, client, last } = await ask(({ body }) =>
      body.includes("view_submission") ? { body: answer } : {},
    );
    await ana.click(channel, "Yes");
    const trigger_id = String(last()["trigger_id"]);
    await client.apiCall("views.open", { trigger_id, view: modal("One") });
    await ana.submit({ name: { value: "x" } });
    expect(ana.views).toMatchObject([{ errors: { name: "Too short." } }]);
    expect(last()).toMatchObject({ view: { state: { values: { name: { value: "x" } } } } });
    answer = "";
    await ana.submit();
    expect(ana.views).toEqual([]);
  });
});

test("a shortcut names its message", async () => {
  const { slack, last } = await ask();
  const bob = slack.person("U0BOB");
  const ts = bob.say(channel, "this one");
  await bob.shortcut(channel, ts, "ask-agent");
  expect(last()).toMatchObject({
    type: "message_action",
    callback_id: "ask-agent",
    message_ts: ts,
    message: { text: "this one" },
  });
});
