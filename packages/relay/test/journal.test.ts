import { describe, expect, test } from "vitest";
import { formatConversationKey } from "../src/conversation-key.ts";
import { explain, parseReference } from "../src/journal/explain.ts";
import { formatExplanation } from "../src/journal/format-explanation.ts";
import { createJournal, type Inbound } from "../src/journal/journal.ts";
import { journalTables } from "../src/journal/journal-tables.ts";
import { createLog, hashId } from "../src/log.ts";
import { Redactor } from "../src/redactor.ts";
import { temporaryRelayDb } from "./relay-db-of.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

async function createRig() {
  const { db } = await temporaryRelayDb();
  const lines: string[] = [];
  const counts: string[] = [];
  const clock = { now: AT };
  const redactor = new Redactor();
  redactor.add("very-secret-key");
  const journal = createJournal({
    db,
    log: createLog({ level: "info", write: (line) => lines.push(line), redactor }),
    now: () => clock.now,
    count: ({ decision, reason }) => counts.push(`${decision} ${reason}`),
    redact: (text) => redactor.redact(text),
  });
  return { db, lines, counts, clock, journal };
}

const inbound: Inbound = {
  surface: "poe",
  bot: "shop",
  what: "query",
  decision: "refuse",
  reason: "not-allowed",
  conversation: formatConversationKey({ surface: "poe", bot: "shop", id: "c-1" }),
  message: "m-1",
  user: "u-ana",
};

describe("what comes in", () => {
  test("is one line in the log and one count, with digests in the place of ids", async () => {
    const { journal, lines, counts } = await createRig();
    journal.note(inbound);
    expect(counts).toEqual(["refuse not-allowed"]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: "came in",
        surface: "poe",
        bot: "shop",
        what: "query",
        decision: "refuse",
        reason: "not-allowed",
        user: hashId("u-ana"),
        message: hashId("m-1"),
        conversation: hashId("poe/shop/c-1"),
      }),
    ]);
    expect(lines.join("")).not.toMatch(/u-ana|m-1|c-1/);
  });

  test("that comes too often is counted and nothing else", async () => {
    const { db, journal, lines, counts } = await createRig();
    journal.note(inbound, "counted");
    expect(counts).toHaveLength(1);
    expect(lines).toEqual([]);
    expect(db.all("SELECT * FROM journal_entries")).toEqual([]);
  });

  test("is forgotten after 30 days", async () => {
    const { db, journal, clock } = await createRig();
    journal.note(inbound);
    clock.now += 31 * 24 * 3_600_000;
    for (let count = 0; count < 500; count += 1) journal.note({ ...inbound, message: `x${count}` });
    expect(explain(db, "m-1").cameIn).toEqual([]);
    expect(explain(db, "x499").cameIn).toHaveLength(1);
  });

  test("goes with its conversation and with its person", async () => {
    const { db, journal } = await createRig();
    const { erasePerson, eraseConversation } = journalTables;
    journal.note(inbound);
    journal.note({ ...inbound, user: "u-bob", message: "m-2" });
    journal.fail({ ref: "7F3K", conversation: "poe/shop/c-1", what: "turn", error: new Error() });
    expect(erasePerson(db, "u-ana")).toBe(1);
    expect(eraseConversation?.(db, "poe/shop/c-1")).toBe(2);
    expect(explain(db, "c-1")).toEqual({ cameIn: [], failed: [] });
  });
});

describe("C24: a failure", () => {
  const died = Object.assign(new Error("The agent died"), {
    code: "agent_exited",
    exit: { code: 3, stderrTail: "no such file /srv/x, key very-secret-key\u001b[2J" },
  });

  test("is in the log and in the journal with its stack and stderr under its reference, without secrets and escapes", async () => {
    const { db, journal, lines } = await createRig();
    journal.fail({ ref: "7F3K", conversation: "poe/shop/c-1", what: "turn", error: died });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ ref: "7F3K", what: "turn" });
    expect(lines[0]).toContain("/srv/x");
    expect(lines[0]).not.toContain("very-secret-key");
    const { failed } = explain(db, "7F3K");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.detail).toContain("no such file /srv/x, key [redacted]");
    expect(failed[0]?.detail).not.toContain("\u001b");
  });

  test("is explained by what people read of it, with what to change", async () => {
    const { db, journal } = await createRig();
    journal.note({ ...inbound, decision: "run", reason: "prompt" });
    journal.fail({ ref: "0F1K", conversation: "poe/shop/c-1", what: "turn", error: died });
    const text = formatExplanation("ref ofik", explain(db, "ref ofik"));
    expect(text).toContain("2026-01-02 03:04:05  poe/shop  query: run (prompt)");
    expect(text).toContain("ref 0F1K  failed: turn (agent_exited)");
    expect(text).toMatch(/To change it: .*stderr/);
    expect(text).toContain("    stderr of the agent:");
  });
});

test.each([
  ["7F3K", "7F3K"],
  ["ref 7f3k", "7F3K"],
  [" OIL0 ", "0110"],
  ["c-1", undefined],
  ["7F3K9", undefined],
])("the reference in %j is %j", (text, ref) => {
  expect(parseReference(text)).toBe(ref);
});

test.each(["c-1", "poe/shop/c-1", "m-1", "u-ana", hashId("m-1")])(
  "%s finds what came in",
  async (about) => {
    const { db, journal } = await createRig();
    journal.note(inbound);
    journal.note({ ...inbound, conversation: "poe/shop/c-2", message: "m-2", user: "u-bob" });
    const { cameIn } = explain(db, about);
    expect(cameIn.map(({ reason }) => reason)).toEqual(["not-allowed"]);
    expect(formatExplanation(about, { cameIn, failed: [] })).toContain("To change it: Let them in");
  },
);

test("what a platform tells twice as a matter of course asks nothing of the operator", async () => {
  const { db, journal } = await createRig();
  journal.note({ ...inbound, decision: "attach", reason: "told-again" });
  const text = formatExplanation("m-1", explain(db, "m-1"));
  expect(text).toContain("To change it: Nothing");
});

test("what is not there is said, with where to look next", async () => {
  const { db } = await createRig();
  expect(formatExplanation("m-9", explain(db, "m-9"))).toMatch(/^Nothing is known about m-9\./);
});

test("a journal that cannot be written is logged, and whoever notes goes on", async () => {
  const { db, journal, lines } = await createRig();
  db.exec("DROP TABLE journal_entries");
  journal.note(inbound);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain("could not be kept in the journal");
});
