import { describe, expect, it } from "vitest";
import { checkBearer, isAccessKey, UNAUTHORIZED } from "../src/index.ts";

const OLD = "0123456789abcdef0123456789abcdef";
const NEW = "fedcba9876543210fedcba9876543210";

describe("checkBearer", () => {
  it.each([
    ["the only key", `Bearer ${OLD}`, [OLD], true],
    ["the first of two", `Bearer ${OLD}`, [OLD, NEW], true],
    ["the second of two", `Bearer ${NEW}`, [OLD, NEW], true],
    ["a key that was taken away", `Bearer ${OLD}`, [NEW], false],
    ["any scheme spelling", `bEARER ${OLD}`, [OLD], true],
    ["spaces around the key", `Bearer   ${OLD} `, [OLD], true],
    ["two keys in one header", `Bearer ${OLD} ${NEW}`, [OLD, NEW], false],
    ["a prefix of the key", `Bearer ${OLD.slice(1)}`, [OLD], false],
    ["another case of the key", `Bearer ${OLD.toUpperCase()}`, [OLD], false],
    ["no keys configured", `Bearer ${OLD}`, [], false],
    ["an empty key configured", "Bearer ", [""], false],
    ["an empty key and no header", undefined, [""], false],
    ["a header of null", null, [OLD], false],
    ["a non-ASCII token", "Bearer é\u0000😀", [OLD], false],
  ])("%s", (_, header, keys, valid) => {
    expect(checkBearer(header, keys)).toBe(valid);
  });

  it("a long header of spaces costs no more than its length", () => {
    const started = performance.now();
    expect(checkBearer(`Bearer ${" ".repeat(200_000)}`, [OLD])).toBe(false);
    expect(checkBearer(`Bearer ${"x ".repeat(100_000)}`, [OLD])).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("a wrong key is answered with the scheme to use", () => {
    expect(UNAUTHORIZED.status).toBe(401);
    expect(UNAUTHORIZED.headers["www-authenticate"]).toBe("Bearer");
  });
});

describe("isAccessKey", () => {
  it.each([
    [OLD, true],
    ["~!@#$%^&*()_+-=0123456789abcdefgh", false],
    ["~!@#$%^&*()_+-=0123456789abcdefg", true],
    [OLD.slice(1), false],
    [`${OLD}0`, false],
    [`${OLD.slice(1)} `, false],
    [`${OLD.slice(1)}é`, false],
    ["", false],
  ])("%s: %s", (key, valid) => {
    expect(isAccessKey(key)).toBe(valid);
  });
});
