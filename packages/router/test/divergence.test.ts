import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprint, isContinuation, MAX_FINGERPRINTS } from "../src/divergence.ts";
import type { Turn } from "../src/index.ts";

type Message = { id: string; role: string; content: string };
type Case = {
  id: string;
  row: string;
  prev: Message[];
  now: Message[];
  expect: "benign" | "diverged";
};
const file = new URL("vectors/transcript-divergence.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };

const turns = (messages: readonly Message[]): Turn[] =>
  messages.map(({ id, role, content }) => ({ role, content, messageId: id, attachments: [] }));
const verdict = (prev: readonly Message[], now: readonly Message[]) =>
  isContinuation(fingerprint(turns(prev)), fingerprint(turns(now))) ? "benign" : "diverged";

test("the table of transcripts has all 73 cases", () => {
  expect(cases).toHaveLength(73);
});

test.each(cases)(
  "a transcript goes on or is another one, as the table says: $id",
  ({ prev, now, expect: expected }) => {
    expect(verdict(prev, now)).toBe(expected);
  },
);

const said = (id: string): Message => ({ id, role: "user", content: `ask ${id}` });

test("of a transcript that is longer than what is kept, the beginning says nothing", () => {
  const all = Array.from({ length: MAX_FINGERPRINTS + 40 }, (_, index) => said(`m${index}`));
  const known = fingerprint(turns(all)).slice(-MAX_FINGERPRINTS);
  const next = fingerprint(turns([...all, said("new")]));
  expect(isContinuation(known, next)).toBe(true);
  const edited = all.with(200, { ...said("m200"), content: "changed" });
  expect(isContinuation(known, fingerprint(turns(edited)))).toBe(false);
});

test("whatever is cut off in front and added behind, an unchanged rest is a continuation; a changed one is not", () => {
  const conversation = fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 30 });
  fc.assert(
    fc.property(conversation, fc.nat(), fc.nat(), fc.nat(), (ids, first, second, at) => {
      const all = ids.map(said);
      const known = 1 + (first % ids.length);
      const gone = second % known;
      const prev = all.slice(0, known);
      const now = all.slice(gone);
      expect(verdict(prev, now)).toBe("benign");
      const changed = at % (known - gone);
      const edited = now.map((one, index) => (index === changed ? { ...one, content: "?" } : one));
      expect(verdict(prev, edited)).toBe("diverged");
    }),
  );
});

test("what was said to the relay itself is no part of it: it may be edited, deleted or added anywhere", () => {
  const [one, two, three] = turns([said("u1"), said("u2"), said("u3")]) as [Turn, Turn, Turn];
  const aside = (content: string): Turn => ({ ...two, messageId: "c1", content, isAside: true });
  const known = fingerprint([one, aside("!status"), two]);
  for (const now of [
    [one, aside("!model x"), two, three],
    [one, two, three],
    [one, two, aside("!status"), three],
  ]) {
    expect(isContinuation(known, fingerprint(now))).toBe(true);
  }
});
