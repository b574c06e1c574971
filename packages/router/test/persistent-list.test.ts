import fc from "fast-check";
import { expect, test } from "vitest";
import { PersistentList } from "../src/persistent-list.ts";

/** What to do to which of the lists there are so far. */
const step = fc.record({ list: fc.nat(), at: fc.option(fc.nat(), { freq: 3 }), item: fc.nat() });

test("every list stays as it was made, whatever is made of it", () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_100 }), fc.array(step, { maxLength: 60 }), (length, steps) => {
      const items = Array.from({ length }, (_, index) => index);
      const made = [{ list: PersistentList.of(items), items }];
      for (const { list: from, at, item } of steps) {
        const { list, items } = made[from % made.length] ?? {
          list: PersistentList.of([]),
          items: [],
        };
        const place = at === null || items.length === 0 ? undefined : at % items.length;
        made.push(
          place === undefined
            ? { list: list.push(item), items: [...items, item] }
            : { list: list.with(place, item), items: items.with(place, item) },
        );
      }
      for (const { list, items } of made) {
        expect(list.length).toBe(items.length);
        expect([...list]).toEqual(items);
        expect(JSON.stringify(list)).toBe(JSON.stringify(items));
        for (const index of [
          0,
          1,
          items.length - 1,
          items.length,
          -1,
          -items.length,
          31,
          32,
          1_024,
        ]) {
          expect(list.at(index)).toBe(items.at(index));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("an index that is not there has no item, and none can be put there", () => {
  const list = PersistentList.of(["a", "b"]);
  for (const index of [2, -3, Number.NaN]) {
    expect(list.at(index)).toBeUndefined();
    expect(() => list.with(index, "x")).toThrow(RangeError);
  }
  expect([...list.with(-1, "c")]).toEqual(["a", "c"]);
});
