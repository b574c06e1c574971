import fc from "fast-check";

const id = fc.oneof(fc.constantFrom("t1", "t2", "call_0", "x1-1", "__proto__"), fc.string());
const int = fc.maxSafeInteger();
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const two = (value: number) => String(value).padStart(2, "0");
/** Times as the daemon writes them: up to nine fractional digits, `Z` or an offset. */
export const time: fc.Arbitrary<string> = fc
  .record({
    date: fc.date({
      min: new Date("0001-01-02T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true,
    }),
    fraction: fc.stringMatching(/^(\.\d{1,9})?$/),
    zone: fc.oneof(
      fc.constant("Z"),
      fc
        .tuple(
          fc.constantFrom("+", "-"),
          fc.integer({ min: 0, max: 23 }),
          fc.integer({ min: 0, max: 59 }),
        )
        .map(([sign, hours, minutes]) => `${sign}${two(hours)}:${two(minutes)}`),
    ),
  })
  .map(({ date, fraction, zone }) => date.toISOString().slice(0, 19) + fraction + zone);

/** Payloads of the frequent events, valid; a key that is undefined is left out by JSON. */
const hotPayloads = {
  "message.delta": fc.record({ turn_id: id, text: fc.string() }),
  "message.reasoning": fc.record({ turn_id: id, text: fc.string() }),
  progress: fc.record({
    turn_id: id,
    tool_call_id: maybe(id),
    name: maybe(fc.string()),
    kind: fc.string(),
    done: int,
    total: maybe(int),
  }),
  "tool.requested": fc.record({
    turn_id: id,
    tool_call_id: id,
    name: fc.string(),
    input: fc.jsonValue(),
    typed: maybe(fc.boolean()),
  }),
  "tool.completed": fc.record({
    tool_call_id: id,
    ok: fc.boolean(),
    output: fc.string(),
    truncated: fc.boolean(),
    lines: maybe(int),
    files: maybe(int),
    added: maybe(int),
    removed: maybe(int),
    exit_code: maybe(int),
    has_exit: maybe(fc.boolean()),
    duration_ms: maybe(int),
    started_at: maybe(time),
    finished_at: maybe(time),
    diff: maybe(fc.string()),
  }),
};

type Json = { [key: string]: unknown };

/** Valid events of the frequent kinds, as JSON text would give them. */
export const hotEvent: fc.Arbitrary<Json> = fc.oneof(
  ...Object.entries(hotPayloads).map(([type, payload]) =>
    fc
      .record({
        seq: fc.maxSafeNat(),
        session_id: fc.string(),
        type: fc.constant(type),
        at: time,
        payload: payload as fc.Arbitrary<Json>,
      })
      .map((event) => JSON.parse(JSON.stringify(event)) as Json),
  ),
);

/** What a field may hold that it should not, or not plainly. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    0,
    -0,
    -1,
    1.5,
    2 ** 53,
    1e30,
    true,
    [],
    {},
    "soon",
    "0001-01-01T00:00:00Z",
  ),
  fc.jsonValue(),
);

/** The same with one or two places spoilt: a key removed, replaced, added or renamed. */
export const spoiltEvent: fc.Arbitrary<Json> = fc
  .tuple(
    hotEvent,
    fc.array(
      fc.record({
        inPayload: fc.boolean(),
        key: fc.nat(),
        act: fc.constantFrom("remove", "replace", "add", "rename", "proto"),
        content: odd,
      }),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([event, changes]) => {
    for (const { inPayload, key, act, content } of changes) {
      const inner = event["payload"];
      const target =
        inPayload && typeof inner === "object" && inner !== null ? (inner as Json) : event;
      const keys = Object.keys(target);
      const name = keys[key % Math.max(1, keys.length)] ?? "none";
      if (act === "remove" || act === "rename") delete target[name];
      if (act === "replace") target[name] = content;
      if (act === "rename") target[name.toUpperCase()] = content;
      if (act === "add") target[`extra_${key}`] = content;
      if (act === "proto") {
        Object.defineProperty(target, "__proto__", {
          value: content,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
    }
    return event;
  });
