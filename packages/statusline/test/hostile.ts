import fc from "fast-check";
import { EXTENSION_ID } from "../src/index.ts";

const keys = [EXTENSION_ID, "mood", "plan", "model", "providerEmoji"] as const;
const traps = ["get", "has", "getOwnPropertyDescriptor", "ownKeys", "getPrototypeOf"] as const;

function refuse(): never {
  throw new Error("refused");
}

/** Text in which surrogates also stand alone. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.oneof(fc.integer({ min: 0xd7ff, max: 0xe000 }), fc.integer({ max: 0xffff, min: 0 })))
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom("\ud83c", "\udf32", "🌲", "a", " ", "\u0085", "\ufeff", "-", "/", "1"), {
      maxLength: 30,
    })
    .map((parts) => parts.join("")),
);

/** Makes the value only where it is used: fast-check looks into what it generates, and trips over revoked proxies. */
type Make = () => unknown;

const scalar: fc.Arbitrary<Make> = fc
  .oneof(
    anyText,
    fc.double(),
    fc.bigInt(),
    fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, maxDepth: 1 }),
    fc.constantFrom<unknown>(null, undefined, true, false, Symbol("s"), Symbol.iterator, refuse),
  )
  .map((value) => () => value);

/** Anything that an untyped caller may pass, the worst included. */
export const hostile: fc.Arbitrary<Make> = fc.letrec<Record<string, Make>>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    tie("members"),
    tie("getters"),
    tie("proxy"),
    tie("cycle"),
  ),
  members: fc
    .tuple(
      fc.constantFrom<object | null>(null, Object.prototype, Array.prototype),
      fc.dictionary(fc.constantFrom(...keys), tie("value")),
    )
    .map(([prototype, makers]) => () => {
      const made = Object.entries(makers).map(([key, make]) => [key, make()]);
      return Object.assign(Object.create(prototype), Object.fromEntries(made));
    }),
  getters: fc.subarray([...keys]).map((names) => () => {
    const getters = names.map((name) => [name, { get: refuse, enumerable: true }]);
    return Object.defineProperties({}, Object.fromEntries(getters));
  }),
  proxy: fc
    .tuple(tie("members"), fc.subarray([...traps]), fc.boolean())
    .map(([make, names, revoked]) => () => {
      const handler = Object.fromEntries(names.map((name) => [name, refuse]));
      const { proxy, revoke } = Proxy.revocable(make() as object, handler);
      if (revoked) revoke();
      return proxy;
    }),
  cycle: tie("members").map((make) => () => {
    const circle = make() as Record<string, unknown>;
    for (const key of keys) circle[key] ??= circle;
    return circle;
  }),
}))["value"] as fc.Arbitrary<Make>;
