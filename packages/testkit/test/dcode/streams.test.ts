import { formatEvent, parseEvent, parseTime } from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import { type DcodeStep, waitFor } from "../../src/index.ts";
import { type Rig, refusal, retry, rig, turn, types, until } from "./drive.ts";
import { ignoreStream, readStream } from "./raw.ts";

const say = (text: string): DcodeStep => ({ kind: "say", text });
const path = ({ id }: Rig, from: number | string) => `/v1/sessions/${id}/events?from=${from}`;

test("a frame is the seq and the event in the daemon's own escaping", async () => {
  await using target = await rig({ script: [say("<b> & \u2028")] });
  await turn(target, "x");
  const text = await readStream(target.daemon.socketPath, path(target, 3), (all) =>
    all.includes("\n\n"),
  );
  const [frame = ""] = text.split("\n\n");
  expect(frame).toMatch(/^id: 3\ndata: \{"seq":3,/);
  expect(frame).toContain('"text":"\\u003cb\\u003e \\u0026 \\u2028"');
  expect(parseEvent(frame.replace(/^[\s\S]*?data: /, "")).payload).toEqual({
    turn_id: "t1",
    text: "<b> & \u2028",
  });
});

test("T2: times are local, to the nanosecond, and rise", async () => {
  await using target = await rig();
  const times = (await turn(target, "x")).map(({ at }) => at);
  for (const at of times) expect(at).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?-03:00$/);
  for (const at of times) expect(Math.abs((parseTime(at) ?? 0) - Date.now())).toBeLessThan(60_000);
});

test("T13: a session id is 19 lower-case hex digits", async () => {
  await using target = await rig();
  expect(target.id).toMatch(/^[0-9a-f]{19}$/);
});

test("T22: session.created shows the session before itself, the answer the one behind it", async () => {
  await using target = await rig();
  const [created] = await until(target, "session.created");
  expect(created?.payload).toMatchObject({ last_seq: 0 });
  expect(target.session.last_seq).toBe(1);
});

test("pings come while nothing happens", async () => {
  await using target = await rig({ pingMs: 5 });
  const text = await readStream(target.daemon.socketPath, path(target, 2), (all) =>
    all.includes(": ping\n\n: ping\n\n"),
  );
  expect(text.replaceAll(": ping\n\n", "")).toBe("");
});

test("Last-Event-ID is ignored: only the query says where to begin", async () => {
  await using target = await rig({ script: [say("a")] });
  await turn(target, "x");
  const headers = { "last-event-id": "3" };
  const text = await readStream(
    target.daemon.socketPath,
    path(target, 1),
    (all) => all.includes("\n\n"),
    headers,
  );
  expect(text).toMatch(/^id: 1\n/);
});

test("what is replayed equals what was seen live", async () => {
  await using target = await rig();
  const live = until(target, "turn.completed");
  await turn(target, "x");
  const replayed = await until(target, "turn.completed");
  expect(replayed.map(formatEvent)).toEqual((await live).map(formatEvent));
});

test("a position ahead waits until it is reached", async () => {
  await using target = await rig({ script: [say("a"), say("b")] });
  const events = until(target, "turn.completed", 4);
  await waitFor("the reader", () => target.daemon.readers === 1);
  await turn(target, "x");
  expect((await events).map(({ seq }) => seq)).toEqual([4, 5]);
});

describe("retention", () => {
  test("drops the first events: the session says where it begins, earlier positions have expired", async () => {
    await using target = await rig({ script: [say("a"), say("b"), say("c")], retention: 3 });
    const { client, id } = target;
    await client.submitTurn(id, { text: "x" });
    await waitFor("the end", () => target.daemon.sessions[0]?.state === "idle");
    const session = await client.getSession(id);
    expect(session).toMatchObject({ first_seq: 4, last_seq: 6 });
    expect(await refusal(client.events(id, { from: 3 }).next())).toMatchObject({
      code: "events_expired",
    });
    expect(types(await until(target, "turn.completed", session.first_seq))).toEqual([
      "message.delta",
      "message.delta",
      "turn.completed",
    ]);
  });

  test("ends a stream that it overtakes, and the reader is refused when it comes back", async () => {
    await using target = await rig({
      script: Array.from({ length: 200 }, () => say("x".repeat(50_000))),
      retention: 20,
    });
    const { client, id, daemon } = target;
    const slow = await ignoreStream(daemon.socketPath, path(target, 1));
    await client.submitTurn(id, { text: "x" });
    await waitFor("the end", () => daemon.sessions[0]?.state === "idle");
    const last = [...(await slow.read()).matchAll(/^id: (\d+)$/gm)].at(-1)?.[1];
    expect(Number(last)).toBeLessThan(200);
    expect(await refusal(client.events(id, { from: Number(last) + 1 }).next())).toMatchObject({
      code: "events_expired",
    });
  });
});

test("a reader that falls 256 events behind is disconnected, and rejoins without a gap", async () => {
  await using target = await rig({
    script: Array.from({ length: 2_000 }, () => say("x".repeat(2_000))),
  });
  const { client, id, daemon } = target;
  const disconnects: unknown[] = [];
  const events = client.events(id, {
    retry,
    onDisconnect: (cause) => void disconnects.push(cause),
  });
  const first = await events.next();
  expect(first.value?.seq).toBe(1);
  await client.submitTurn(id, { text: "x" });
  await waitFor("the end", () => daemon.sessions[0]?.state === "idle", 20_000);
  const seqs: number[] = [1];
  for await (const event of events) {
    seqs.push(event.seq);
    if (event.type === "turn.completed") break;
  }
  expect(seqs).toEqual(Array.from({ length: 2_003 }, (_, index) => index + 1));
  expect(disconnects.length).toBeGreaterThan(0);
});

describe("every reader of a stream that is", () => {
  const steps: DcodeStep[] = [say("a"), { kind: "wait", gate: "cut" }, say("b"), say("c")];
  test.each([
    ["dropped", (target: Rig) => target.daemon.dropStreams(target.id)],
    ["broken within a frame", (target: Rig) => target.daemon.breakStreams()],
    [
      "filled with frames that are none",
      (target: Rig) => target.daemon.writeToStreams("data: {not json}\n\n: x\n\ngarbage\n\n"),
    ],
  ])("%s sees every event once", async (_name, disturb) => {
    await using target = await rig({ script: steps });
    const { client, id, daemon } = target;
    await client.submitTurn(id, { text: "x" });
    const reads = Array.from({ length: 3 }, async () => {
      const texts: string[] = [];
      for await (const event of client.events(id, { retry, onBadEvent: () => {} })) {
        texts.push(event.type === "message.delta" ? (event.payload as { text: string }).text : ".");
        if (event.type === "turn.completed") break;
      }
      return texts.join("");
    });
    await waitFor("three readers", () => daemon.readers === 3);
    await waitFor("the gate", () => daemon.sessions[0]?.last_seq === 3);
    disturb(target);
    daemon.open("cut");
    expect(await Promise.all(reads)).toEqual(["..abc.", "..abc.", "..abc."]);
  });
});

test("the streams of a deleted session end without a word, and asking again tells why", async () => {
  await using target = await rig();
  const { client, id, daemon } = target;
  const events = client.events(id, { from: 2, retry });
  const next = refusal(events.next());
  await waitFor("the reader", () => daemon.readers === 1);
  await client.deleteSession(id);
  expect(await next).toMatchObject({ name: "ProtocolError", code: "session_not_found" });
});
