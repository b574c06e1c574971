import { expect, test } from "vitest";
import { fingerprint } from "../src/divergence.ts";
import { MAX_RECORD_BYTES, MemoryStore, RouterError } from "../src/index.ts";
import {
  parametersOf,
  SessionBook,
  type SessionRecord,
  withParameters,
  withSession,
} from "../src/session-record.ts";
import { boundedSettings } from "../src/session-settings.ts";

const long = "x".repeat(10_000);
const transcript = fingerprint(
  Array.from({ length: 2_000 }, (_, index) => ({
    role: "user",
    content: long,
    messageId: `${index}${long}`,
    attachments: [],
  })),
);
const session = (lastUsedAt: number): SessionRecord => ({
  session: `s${lastUsedAt}`,
  cwd: "/work",
  initial: {},
  transcript,
  prompted: transcript.map(({ id }) => id),
  isBriefed: true,
  lastUsedAt,
});

async function open(onFailure: (error: unknown) => void = () => undefined) {
  const store = new MemoryStore();
  const lease = await store.claim("c");
  const book = new SessionBook(store, "c", { lease: () => lease, onFailure });
  return { store, book };
}

test("however long a conversation is and whatever its ids, its record has room; the newest agents and people stay", async () => {
  const { store, book } = await open();
  const choices = boundedSettings(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(99, "n"), "v"])),
  );
  for (let count = 0; count < 70; count++) {
    await book.change((record) => {
      const next = withSession(record, `agent ${count % 5}`, session(count));
      const parameters = boundedSettings({ model: "m".repeat(100), thinking: long });
      return {
        ...withParameters(next, `${long}${count}`, parameters),
        wanted: { a: choices, b: choices, c: choices },
      };
    });
  }
  const record = await book.read();
  expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(MAX_RECORD_BYTES);
  expect(Object.keys(record.sessions).sort()).toEqual(["agent 2", "agent 3", "agent 4"]);
  expect(parametersOf(record, `${long}69`)).toBeDefined();
  expect(parametersOf(record, `${long}1`)).toBeUndefined();
  expect(await store.readRecord("session:c")).toEqual(record);
});

test("changes that overlap are made one after another", async () => {
  const { book } = await open();
  await Promise.all(
    ["a", "b", "c"].map((name, at) =>
      book.change((record) => withSession(record, name, session(at))),
    ),
  );
  expect(Object.keys((await book.read()).sessions).sort()).toEqual(["a", "b", "c"]);
});

test("a record of another shape is none", async () => {
  const { store, book } = await open();
  const lease = { conversation: "c", fence: 1 };
  await store.writeRecord(lease, "session:c", { session: "s1", cwd: "/work" });
  expect((await book.read()).sessions).toEqual({});
});

test("what cannot be saved is kept and saved with the next change, unless another owner has come", async () => {
  const failures: unknown[] = [];
  const { store, book } = await open((error) => failures.push(error));
  const write = store.writeRecord.bind(store);
  store.writeRecord = async () => {
    throw new RouterError("no space", { code: "unwritable" });
  };
  await book.change((record) => withSession(record, "a", session(1)));
  expect(failures).toHaveLength(1);
  store.writeRecord = write;
  await book.change((record) => withSession(record, "b", session(2)));
  expect(await store.readRecord("session:c")).toMatchObject({ sessions: { a: {}, b: {} } });
  store.writeRecord = async () => {
    throw new RouterError("taken over", { code: "fenced" });
  };
  await expect(book.change((record) => withSession(record, "c", session(3)))).rejects.toMatchObject(
    {
      code: "fenced",
    },
  );
});

test.each(["ana", "__proto__", 'quo"ted', ""])(
  "the person %j is named in what is kept of them, so that who erases them finds it",
  async (user) => {
    const { store, book } = await open();
    expect(parametersOf(await book.read(), user)).toBeUndefined();
    await book.change((record) => withParameters(record, user, { model: "a" }));
    expect(parametersOf(await book.read(), user)).toEqual({ model: "a" });
    expect(JSON.stringify(await store.readRecord("session:c"))).toContain(JSON.stringify(user));
  },
);
