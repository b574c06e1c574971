import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_STATE, formatDeliveryState, parseDeliveryState } from "../src/delivery-state.ts";
import { Line } from "../src/line.ts";
import { formatLabel } from "../src/words.ts";

describe("the state of a delivery", () => {
  test("is read as it was written", () => {
    const state = {
      questions: ["q1", "q2"],
      until: "t1",
      carry: { turn: "t1", text: "```sh\n\uD83C" },
      answers: [{ key: "m1", permission: "q0" }],
      messages: [
        { key: "m1", id: "r1" },
        { key: "m2", id: "r2", start: 7 },
      ],
      reader: {
        id: "r2",
        nth: 2,
        surface: "s1",
        key: "m2",
        user: "u",
        label: "hi",
        until: "t1",
        phase: "reads",
      },
    } as const;
    expect(parseDeliveryState(formatDeliveryState(state))).toEqual(state);
  });

  test("fits into a checkpoint, whatever ids came from outside", () => {
    const id = fc.oneof(
      fc.string({ maxLength: 300, unit: "binary" }),
      fc.nat({ max: 300 }).map((length) => "\u0001".repeat(length)),
    );
    const state = fc.record({
      questions: fc.array(id, { maxLength: 40 }),
      until: id,
      carry: fc.record({ turn: id, text: id }),
      answers: fc.array(fc.record({ key: id, permission: id }), { maxLength: 40 }),
      messages: fc.array(fc.record({ key: id, id: fc.uuid(), start: fc.nat() }), { maxLength: 40 }),
      reader: fc.record({
        id: fc.uuid(),
        nth: fc.nat(),
        surface: fc.uuid(),
        key: id,
        user: id,
        label: fc.string({ maxLength: 60, unit: "grapheme" }),
        until: fc.uuid(),
        phase: fc.constantFrom("reads", "gone", "over"),
      }),
    });
    fc.assert(
      fc.property(state, (one) => {
        expect(Buffer.byteLength(formatDeliveryState(one))).toBeLessThanOrEqual(4096);
      }),
    );
  });

  test("that cannot be read is not there", () => {
    for (const text of [undefined, "", "{", "null", "[]", "1", '{"questions":1,"answers":[1]}']) {
      expect(parseDeliveryState(text)).toEqual(EMPTY_STATE);
    }
  });
});

describe("a label", () => {
  test.each([
    ["fix the\n  login test", "fix the login test"],
    ["**bold** `code` [x](y)", "bold code x(y)"],
    ["a".repeat(80), `${"a".repeat(59)}…`],
    ["🏛️".repeat(80), /…$/],
    ["\u202Eevil\u0000", "evil"],
  ])("of %j is %s", (text, expected) => {
    if (typeof expected === "string") expect(formatLabel(text)).toBe(expected);
    else expect(formatLabel(text)).toMatch(expected);
  });
});

describe("the line of a conversation", () => {
  const member = (key: string, conversation = "c") => {
    const one = {
      conversation,
      key,
      user: "",
      label: "",
      isAbandoned: false,
      superseded: 0,
      supersede: () => {
        one.superseded += 1;
      },
    };
    return one;
  };

  test("lets responses read one after another, in order of arrival", async () => {
    const line = new Line();
    const [a, b, c] = [member("a"), member("b"), member("c")];
    for (const one of [a, b, c]) line.enter(one);
    const order: string[] = [];
    const waits = [c, b, a].map((one) =>
      line.first(one).then(() => {
        order.push(one.key);
        line.leave(one);
      }),
    );
    await Promise.all(waits);
    expect(order).toEqual(["a", "b", "c"]);
  });

  test("gives a response for the same message the place of the older one", () => {
    const line = new Line<ReturnType<typeof member>>();
    const [a, b, again] = [member("a"), member("b"), member("a")];
    for (const one of [a, b, again]) line.enter(one);
    expect(a.superseded).toBe(1);
    line.leave(a);
    expect(line.isFirst(again)).toBe(true);
    expect(line.ahead(b)).toBe(again);
  });

  test("never takes messages without an id for the same", () => {
    const line = new Line<ReturnType<typeof member>>();
    const [a, b] = [member(""), member("")];
    line.enter(a);
    line.enter(b);
    expect([a.superseded, line.ahead(b)]).toEqual([0, a]);
  });

  test("is empty when the last response of all conversations has left", async () => {
    const line = new Line();
    const [a, b] = [member("a"), member("b", "d")];
    line.enter(a);
    line.enter(b);
    let isEmpty = false;
    const empty = line.empty().then(() => {
      isEmpty = true;
    });
    line.leave(a);
    await Promise.resolve();
    expect(isEmpty).toBe(false);
    line.leave(b);
    await empty;
  });
});
