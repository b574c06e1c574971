import { expect, test } from "vitest";
import { checkPrivateRequest } from "../src/private-guard.ts";

const token = "0123456789abcdef0123456789abcdef";
const options = { hosts: ["127.0.0.1:9000", "localhost:9000"], token };
const good = { host: "127.0.0.1:9000", authorization: `Bearer ${token}` };

const check = (headers: Record<string, string>) =>
  checkPrivateRequest(new Headers(headers), options)?.status;

test.each<[string, Record<string, string>]>([
  ["a plain client", {}],
  ["the other name", { host: "localhost:9000" }],
  ["a page of this very origin", { origin: "http://127.0.0.1:9000" }],
  ["a fetch of this very origin", { "sec-fetch-site": "same-origin" }],
  ["an address that was typed", { "sec-fetch-site": "none" }],
])("C5: %s is served", (_, headers) => {
  expect(check({ ...good, ...headers })).toBeUndefined();
});

test.each<[string, Record<string, string>]>([
  ["a name that was rebound to this address", { host: "evil.example:9000" }],
  ["another port", { host: "127.0.0.1:9001" }],
  ["no port", { host: "127.0.0.1" }],
  ["a longer name", { host: "127.0.0.1:9000.evil.example" }],
  ["other letters", { host: "LOCALHOST:9000" }],
  ["no host", { host: "" }],
  ["a page of another origin", { origin: "http://evil.example" }],
  ["a page of another port", { origin: "http://127.0.0.1:3000" }],
  ["a page of the other name", { origin: "http://localhost:9000" }],
  ["a page over TLS", { origin: "https://127.0.0.1:9000" }],
  ["a page without an origin", { origin: "null" }],
  ["a cross-site fetch", { "sec-fetch-site": "cross-site" }],
  ["a fetch from another port of this machine", { "sec-fetch-site": "same-site" }],
  ["an unknown kind of fetch", { "sec-fetch-site": "new" }],
  ["a forwarded request", { "x-forwarded-for": "10.0.0.1" }],
  ["a forwarded host", { "x-forwarded-host": "127.0.0.1:9000" }],
  ["a forwarded request by the standard", { forwarded: "for=10.0.0.1" }],
  ["a proxy's real address", { "x-real-ip": "127.0.0.1" }],
  ["a proxy's mark", { via: "1.1 proxy" }],
  ["a content network's mark", { "cf-connecting-ip": "10.0.0.1" }],
])("C5: %s is refused, even with the token", (_, headers) => {
  expect(check({ ...good, ...headers })).toBe(403);
});

test.each<[string, string]>([
  ["no token", ""],
  ["a wrong token", `Bearer ${token.slice(0, -1)}x`],
  ["part of the token", `Bearer ${token.slice(0, -1)}`],
  ["more than the token", `Bearer ${token}x`],
  ["another scheme", `Basic ${token}`],
  ["a bare token", token],
])("C4: %s is refused", (_, authorization) => {
  expect(check({ ...good, authorization })).toBe(401);
});

test("C5: a wrong host is refused before the token is looked at", () => {
  expect(check({ host: "evil.example" })).toBe(403);
});
