import { createSessionState, DcodeClient, reduceSession } from "@acp-kit/dcode-client";
import { parseEvent } from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import { FakeDcode, waitFor } from "../../src/index.ts";
import { payloads, refusal, retry, rig, turn, types, until, upTo } from "./drive.ts";

const recorded = (text: string) => text.trimEnd().split("\n").map(parseEvent);

describe("a daemon that dies", () => {
  test("takes its sessions with it, and their records stay", async () => {
    await using target = await rig({
      script: [
        { kind: "say", text: "a" },
        { kind: "wait", gate: "never" },
      ],
    });
    const { client, id, daemon } = target;
    await client.submitTurn(id, { text: "x" });
    await until(target, "message.delta");
    const reading = refusal(until(target, "turn.completed", 4));
    await waitFor("the reader", () => daemon.readers === 1);
    await daemon.kill();
    expect(await refusal(client.health())).toMatchObject({ code: "unreachable" });
    await daemon.start();
    expect(await reading).toMatchObject({ code: "session_not_found" });
    expect(await client.listSessions()).toEqual([]);
    expect(types(recorded(daemon.record(id)))).toEqual([
      "session.created",
      "turn.started",
      "message.delta",
    ]);
  });

  test("is waited for, as long as the reader is patient", async () => {
    await using target = await rig();
    const { client, id, daemon } = target;
    await daemon.kill();
    const impatient = client.events(id, { retry: { ...retry, forMs: 30 } });
    expect(await refusal(impatient.next())).toMatchObject({ code: "unreachable" });
    const waits = Promise.withResolvers<void>();
    const patient = refusal(
      client.events(id, { retry, onDisconnect: () => waits.resolve() }).next(),
    );
    await waits.promise;
    await daemon.start();
    expect(await patient).toMatchObject({ code: "session_not_found" });
  });
});

test("a daemon that shuts down interrupts its turns, on the record", async () => {
  await using target = await rig({ script: [{ kind: "wait", gate: "never" }] });
  await target.client.submitTurn(target.id, { text: "x" });
  await until(target, "turn.started");
  await target.daemon.stop();
  expect(recorded(target.daemon.record(target.id)).at(-1)).toMatchObject({
    type: "turn.completed",
    payload: { reason: "interrupted" },
  });
});

describe("T23: a resumed session", () => {
  test("begins with the other one's history, under its own id, seqs and times, less what is not carried", async () => {
    await using target = await rig();
    const { client, id, daemon, session } = target;
    await client.submitTurn(id, { text: "please ask" });
    await until(target, "tool.approval_required");
    await client.resolveApproval(id, "t1-0", "allow");
    const old = await until(target, "turn.completed");
    await client.setMode(id, "auto");
    await daemon.kill();
    await daemon.start();

    const resumed = await client.createSession({ workspace: session.workspace, resume: id });
    expect(resumed.id).not.toBe(id);
    expect(resumed.mode).toBe("assist");
    const events = await upTo({ client, id: resumed.id }, resumed.last_seq);
    const dropped = ["session.created", "tool.approval_required"];
    expect(types(events)).toEqual([
      "session.created",
      "session.resumed",
      ...types(old).filter((type) => !dropped.includes(type)),
      "session.mode_changed",
    ]);
    expect(new Set(events.map((event) => event.session_id))).toEqual(new Set([resumed.id]));
    expect(events[1]?.payload).toEqual({
      source_id: id,
      turns: 1,
      started_at: "0001-01-01T00:00:00Z",
    });

    // Whoever follows it knows that the mode of then is not the mode of now.
    let state = createSessionState(resumed);
    for (const event of events) ({ state } = reduceSession(state, event));
    expect(state).toMatchObject({ mode: "assist", position: resumed.last_seq });
  });

  test("can be resumed in its turn, with all that came before", async () => {
    await using target = await rig({ script: (given) => [{ kind: "say", text: given.text }] });
    const { client, id, session } = target;
    await turn(target, "one");
    const second = await client.createSession({ workspace: session.workspace, resume: id });
    await turn({ client, id: second.id }, "two");
    const third = await client.createSession({ workspace: session.workspace, resume: second.id });
    const events = await turn({ client, id: third.id }, "three");
    expect(events[0]?.seq).toBe(third.last_seq + 1);
    const all = await upTo({ client, id: third.id }, events.at(-1)?.seq ?? 0);
    const texts = all.flatMap(({ type, payload }) =>
      type === "message.delta" ? [(payload as { text: string }).text] : [],
    );
    expect(texts).toEqual(["one", "two", "three"]);
    expect(all.filter(({ type }) => type === "session.resumed")).toHaveLength(1);
  });

  test("counts its history against the retention", async () => {
    await using target = await rig({ retention: 5, script: [] });
    const { client, id, session } = target;
    for (const text of ["1", "2", "3"]) await turn(target, text);
    const resumed = await client.createSession({ workspace: session.workspace, resume: id });
    expect(resumed).toMatchObject({ last_seq: 8, first_seq: 4 });
  });
});

describe("T25: a name", () => {
  test("of a live session of 0.20 goes behind the log: no event, and a seq twice in the record", async () => {
    await using target = await rig({ script: [] });
    const { client, id, daemon } = target;
    await client.rename(id, "  Fix\u0007 it ");
    const events = await turn(target, "x");
    expect(types(events)).not.toContain("session.renamed");
    const record = recorded(daemon.record(id));
    expect(record.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "session.created"],
      [2, "session.renamed"],
      [2, "turn.started"],
      [3, "turn.completed"],
    ]);
    expect(record[1]?.payload).toEqual({ name: "Fix it" });
  });

  test("of a live session of later daemons is an event", async () => {
    await using target = await rig({ era: "later" });
    await target.client.rename(target.id, "x");
    expect(payloads(await until(target, "session.renamed"), "session.renamed")).toEqual([
      { name: "x" },
    ]);
  });

  test("can be given to a session that is only recorded, and is carried over", async () => {
    await using target = await rig();
    const { client, id, session } = target;
    await client.deleteSession(id);
    await client.rename(id, "old");
    const resumed = await client.createSession({ workspace: session.workspace, resume: id });
    const events = await until({ client, id: resumed.id }, "session.renamed");
    expect(payloads(events, "session.renamed")).toEqual([{ name: "old" }]);
    expect(await refusal(client.rename("nope", "x"))).toMatchObject({ code: "session_not_found" });
  });

  test("leaves a gap in the record of a resumed session: what was carried is not recorded again", async () => {
    await using target = await rig({ script: [] });
    const { client, id, daemon, session } = target;
    await turn(target, "x");
    const resumed = await client.createSession({ workspace: session.workspace, resume: id });
    await turn({ client, id: resumed.id }, "y");
    expect(recorded(daemon.record(resumed.id)).map(({ seq }) => seq)).toEqual([1, 2, 5, 6]);
  });
});

test("a daemon can listen where the test says", async () => {
  await using first = await FakeDcode.start();
  const socketPath = `${first.socketPath}.2`;
  await using second = await FakeDcode.start({ socketPath, version: "0.21.0" });
  expect(await new DcodeClient({ socketPath: second.socketPath }).version()).toMatchObject({
    version: "0.21.0",
  });
});
