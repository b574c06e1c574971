import { expect, test } from "vitest";
import {
  type AuditEvent,
  auditTables,
  createAudit,
  readAudit,
  verifyAudit,
} from "../src/audit/audit.ts";
import { auditFile } from "../src/audit/audit-file.ts";
import { auditQuestion } from "../src/audit/audit-question.ts";
import { temporaryRelayDb } from "./relay-db-of.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

const event: AuditEvent = {
  who: "u-ana",
  role: "approver",
  surface: "poe",
  bot: "shop",
  project: "shop",
  agent: "claude",
  conversation: "poe/shop/c-1",
  what: "question execute",
  shown: "rm -rf dist",
  decision: "allow_once",
  result: "selected",
};

async function createRig() {
  const { db } = await temporaryRelayDb();
  return { db, audit: createAudit(db, () => AT) };
}

test("C38: an entry says who decided what, and holds digests in the place of texts and conversations", async () => {
  const { db, audit } = await createRig();
  audit.append(event);
  const [entry] = readAudit(db);
  expect(entry).toEqual({
    seq: 1,
    at: "2026-01-02T03:04:05.000Z",
    who: expect.stringMatching(/^[0-9a-f]{16}$/),
    user: "u-ana",
    role: "approver",
    surface: "poe",
    bot: "shop",
    project: "shop",
    agent: "claude",
    conversation: expect.stringMatching(/^[0-9a-f]{12}$/),
    what: "question execute",
    shown: expect.stringMatching(/^[0-9a-f]{64}$/),
    decision: "allow_once",
    result: "selected",
  });
});

test("C38: the chain is whole as long as nothing is changed, over several processes' entries", async () => {
  const { db, audit } = await createRig();
  expect(verifyAudit(db)).toEqual({ kind: "whole", entries: 0, head: "" });
  const other = createAudit(db, () => AT);
  for (let count = 0; count < 5; count += 1) (count % 2 ? other : audit).append(event);
  const check = verifyAudit(db);
  expect(check).toMatchObject({ kind: "whole", entries: 5 });
  if (check.kind !== "whole") return;
  audit.append(event);
  expect(verifyAudit(db, check.head)).toMatchObject({ kind: "whole", entries: 6 });
  expect(verifyAudit(db, "0".repeat(64))).toMatchObject({ kind: "broken" });
});

test("C38: nothing of it can be changed or removed by a statement", async () => {
  const { db, audit } = await createRig();
  audit.append(event);
  expect(() => db.run("DELETE FROM audit_entries")).toThrow("can only be added to");
  expect(() => db.run("UPDATE audit_entries SET record = '{}'")).toThrow("can only be added to");
});

test.each([
  [
    "changed",
    "UPDATE audit_entries SET record = replace(record, 'allow', 'deny') WHERE seq = 2",
    2,
  ],
  ["removed from the middle", "DELETE FROM audit_entries WHERE seq = 2", 2],
  ["removed from the beginning", "DELETE FROM audit_entries WHERE seq = 1", 1],
  ["given another hash", "UPDATE audit_entries SET hash = 'x' WHERE seq = 3", 3],
])("C38: an entry that was %s with other tools is found", async (_, sql, seq) => {
  const { db, audit } = await createRig();
  for (let count = 0; count < 4; count += 1) audit.append(event);
  db.exec("DROP TRIGGER audit_entries_stay; DROP TRIGGER audit_entries_stand");
  db.run(sql);
  expect(verifyAudit(db)).toMatchObject({ kind: "broken", seq });
});

test("C38: an end that was cut off is found by an earlier head", async () => {
  const { db, audit } = await createRig();
  for (let count = 0; count < 4; count += 1) audit.append(event);
  const { head } = verifyAudit(db) as { head: string };
  db.exec("DROP TRIGGER audit_entries_stay; DELETE FROM audit_entries WHERE seq = 4");
  expect(verifyAudit(db)).toMatchObject({ kind: "whole", entries: 3 });
  expect(verifyAudit(db, head)).toMatchObject({ kind: "broken", entries: 3 });
});

test("C38: erasing a person leaves the entries, whole and without a name; the same person is another one later", async () => {
  const { db, audit } = await createRig();
  audit.append(event);
  expect(auditTables.erasePerson(db, "u-ana")).toBe(1);
  audit.append(event);
  const [first, second] = readAudit(db);
  expect(first?.user).toBeUndefined();
  expect(second?.user).toBe("u-ana");
  expect(first?.who).not.toBe(second?.who);
  expect(verifyAudit(db)).toMatchObject({ kind: "whole", entries: 2 });
  expect(auditTables.eraseConversation).toBeUndefined();
});

test("C38: a question of an agent becomes an entry without its words", async () => {
  const { db, audit } = await createRig();
  const entry = auditQuestion(
    {
      kind: "question-ended",
      conversation: "poe/shop/c-1",
      turn: "t",
      agent: "claude",
      ask: {
        id: "q",
        requester: "u-bob",
        title: "Run a planted title",
        toolKind: "execute",
        subject: "planted command",
        subjectFrom: "input",
        subjectCut: false,
        options: [],
        expiresAt: AT,
      },
      answer: {
        kind: "permission-answer",
        permission: "q",
        end: "selected",
        option: { id: "a", name: "planted name", kind: "allow_always" },
        by: "u-ana",
        remembered: "now",
      },
    },
    { project: "shop", role: () => "approver" },
  );
  audit.append(entry);
  expect([...readAudit(db)]).toEqual([
    expect.objectContaining({
      user: "u-ana",
      role: "approver",
      what: "question execute",
      decision: "allow_always",
      grant: "remembered from now on",
      result: "selected",
    }),
  ]);
  expect(JSON.stringify(db.all("SELECT record FROM audit_entries"))).not.toContain("planted");
});

test("C19: a file that left is an entry with its digest, and one that was refused with the reason, both without the path", async () => {
  const { db, audit } = await createRig();
  const about = { conversation: "poe/shop/c-1", turn: "t", file: "/srv/planted/a.txt" };
  const sha256 = "5".repeat(64);
  audit.append(auditFile({ kind: "file-sent", ...about, bytes: 5, sha256 }, "shop"));
  audit.append(auditFile({ kind: "file-refused", ...about, reason: "secret" }, "shop"));
  const entries = Array.from(readAudit(db)).sort((a, b) => a.seq - b.seq);
  expect(entries).toMatchObject([
    { what: "file", bot: "shop", project: "shop", decision: "sent", result: sha256 },
    { what: "file", bot: "shop", project: "shop", decision: "refused", result: "secret" },
  ]);
  expect(JSON.stringify(entries)).not.toContain("planted");
});
