import { strict as assert } from "node:assert";
import { createPoeClient, createSettings } from "../../packages/poe-protocol/src/index.ts";
import { createPoeDriver, FakePoe } from "../../packages/testkit/src/index.ts";
import { KEY, LibraryBot, PANEL } from "./library-bot.ts";
import { PythonClient, startPythonBot } from "./python.ts";

const FIRST = { amount_usd_milli_cents: 40.2, description: "Work" };
const SECOND = { amount_usd_milli_cents: 10 };

/** The calls that bots make to Poe, by both libraries to the same loopback Poe; and our driver at Poe's server. */
export async function checkCalls(python: string, say: (line: string) => void): Promise<void> {
  await using client = new PythonClient(python);
  await using bot = await LibraryBot.start();
  const asPython = await recordCalls(bot, (poe) => callFromPython(client, poe));
  const asOurs = await recordCalls(bot, callFromOurs);
  assert.deepEqual(asOurs, asPython);
  assert.deepEqual(asOurs.violations, []);
  say("upload, settings and cost calls are those of Poe's library");

  await using server = await startPythonBot(python, KEY);
  const driver = createPoeDriver({ url: server.url, key: KEY });
  const query = driver.query({ text: "hi", parameters: { p: true } });
  assert.equal((await query.done).how, "done");
  assert.equal(query.body(), "You said: hi ({'p': True})");
  assert.deepEqual(query.violations, []);
  const unknown = await driver.post({ version: "1.2", type: "report_weather" });
  assert.equal(unknown.status, 501);
  assert.equal((await driver.post({ type: "settings" }, "Bearer wrong")).status, 401);
  for (const reply of [
    await driver.settings(),
    await driver.reportReaction({ conversation: "c", messageId: "m", reaction: "heart" }),
    await driver.reportError({ message: "none" }),
  ]) {
    assert.equal(reply.status, 200);
  }
  say("our driver is understood by Poe's server, and its answer by our reader");
}

/** What a series of calls left at Poe. */
async function recordCalls(bot: LibraryBot, call: (poe: FakePoe) => Promise<unknown>) {
  await using poe = await FakePoe.start({
    accessKey: KEY,
    bot: "Bot",
    botUrl: bot.base,
    funds: 80,
  });
  const outcomes = await call(poe);
  const uploads = poe.uploads.map(({ name, bytes, url }) => ({ name, bytes, url }));
  const { costs, funds, settings, violations } = poe;
  return { outcomes, uploads, costs, funds, settings, violations };
}

async function callFromPython(client: PythonClient, { apiUrl, uploadUrl }: FakePoe) {
  const key = KEY;
  const upload = (more: object) =>
    client.ask<{ name: string; url: string; inline_ref: null }>({
      do: "upload",
      key,
      base: uploadUrl,
      ...more,
    });
  const cost = (verb: string, ...items: object[]) =>
    client.ask<{ raised: string | null }>({ do: "cost", key, base: apiUrl, id: "q", verb, items });
  const uploaded = [
    await upload({ text: "héllo", name: "a b.txt" }),
    await upload({ url: "https://example.org/x.png", name: "x.png" }),
  ];
  const costs = [
    await cost("authorize", FIRST, SECOND),
    await cost("capture", FIRST, SECOND),
    await cost("authorize", FIRST),
  ];
  const base = `${apiUrl}bot/`;
  await client.ask({ do: "sync", key, bot: "Bot", base });
  const settings = createSettings({ parameter_controls: PANEL });
  await client.ask({ do: "sync", key, bot: "Bot", base, settings });
  return {
    names: uploaded.map(({ name }) => name),
    refs: uploaded.map(({ inline_ref }) => inline_ref),
    granted: costs.map(({ raised }) => raised),
  };
}

async function callFromOurs({ apiUrl, uploadUrl }: FakePoe) {
  const poe = createPoeClient({ accessKey: KEY, bot: "Bot", apiUrl, uploadUrl });
  const uploaded = [
    await poe.uploadFile({ file: Buffer.from("héllo"), name: "a b.txt" }),
    await poe.uploadFile({ url: "https://example.org/x.png", name: "x.png" }),
  ];
  const outcome = (cost: Promise<void>) =>
    cost.then(
      () => null,
      ({ code }) => (code === "insufficient-fund" ? "InsufficientFundError" : code),
    );
  const granted = [
    await outcome(poe.authorizeCost("q", [FIRST, SECOND])),
    await outcome(poe.captureCost("q", [FIRST, SECOND])),
    await outcome(poe.authorizeCost("q", FIRST)),
  ];
  assert.equal((await poe.refetchSettings()).controls, "kept");
  assert.equal((await poe.pushSettings({ parameter_controls: PANEL })).controls, "kept");
  return {
    names: uploaded.map(({ name }) => name),
    refs: uploaded.map(({ inline_ref }) => inline_ref),
    granted,
  };
}
