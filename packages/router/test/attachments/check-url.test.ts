import { checkUrl } from "@acp-kit/router/attachments";
import { describe, expect, it } from "vitest";
import { mayCarryToken } from "../../src/attachments/check-url.ts";

const policy = { hosts: ["files.example", "*.cdn.example"] };

describe("checkUrl", () => {
  it.each([
    "https://files.example/a",
    "https://FILES.example./a?b=c#d",
    "https://files.example:443/a",
    "https://a.cdn.example/a",
    "https://a.b.cdn.example/a",
  ])("%s may be fetched", (url) => {
    expect(checkUrl(url, policy).href).toBe(new URL(url).href);
  });

  it.each([
    ["", "url"],
    ["/a", "url"],
    ["http://files.example/a", "url"],
    ["ftp://files.example/a", "url"],
    ["file:///etc/passwd", "url"],
    ["data:text/plain,a", "url"],
    ["blob:https://files.example/a", "url"],
    ["https://files.example:8443/a", "url"],
    ["https://files.example:80/a", "url"],
    ["https://ada@files.example/a", "url"],
    ["https://ada:secret@files.example/a", "url"],
    ["https://:secret@files.example/a", "url"],
    ["https://files.example@evil.example/a", "url"],
    ["https://evil.example/a", "host"],
    ["https://evil.example/files.example", "host"],
    ["https://files.example.evil.example/", "host"],
    ["https://notfiles.example/", "host"],
    ["https://sub.files.example/", "host"],
    ["https://cdn.example/", "host"],
    ["https://evilcdn.example/", "host"],
    ["https://127.0.0.1/", "host"],
    ["https://2130706433/", "host"],
    ["https://[::1]/", "host"],
  ])("%s is refused with %s (C23)", (url, code) => {
    expect(() => checkUrl(url, policy)).toThrow(expect.objectContaining({ code }));
  });

  it("a redirect is read against the URL that it came from", () => {
    const base = new URL("https://files.example/a/b");
    expect(checkUrl("../c", policy, base).href).toBe("https://files.example/c");
    expect(() => checkUrl("//evil.example/c", policy, base)).toThrow(
      expect.objectContaining({ code: "host" }),
    );
  });

  it("an empty list is no host, a star is every host", () => {
    expect(() => checkUrl("https://files.example/", { hosts: [] })).toThrow(
      expect.objectContaining({ code: "host" }),
    );
    expect(checkUrl("https://any.example/", { hosts: ["*"] }).host).toBe("any.example");
  });

  it("schemes that nobody can fetch stay refused when they are listed", () => {
    expect(() => checkUrl("file:///etc/passwd", { hosts: ["*"], schemes: ["file:"] })).toThrow(
      expect.objectContaining({ code: "url" }),
    );
  });
});

describe("mayCarryToken", () => {
  it.each([
    ["https://files.example/", ["files.example"], true],
    ["https://a.files.example/", ["*.files.example"], true],
    ["http://files.example/", ["files.example"], false],
    ["https://other.example/", ["files.example"], false],
    ["https://files.example/", ["*"], false],
    ["https://files.example/", ["*", "files.example"], true],
    ["http://127.0.0.1/", ["127.0.0.1"], false],
  ])("of %s and the list %j is %s (C23)", (url, hosts, may) => {
    expect(mayCarryToken(new URL(url), { hosts })).toBe(may);
  });

  it.each([
    ["http://127.0.0.1:8080/", ["127.0.0.1"], true],
    ["http://[::1]/", ["[::1]"], true],
    ["http://127.0.0.1/", ["*"], false],
    ["http://127.0.0.1/", ["127.0.0.2"], false],
    ["http://localhost/", ["localhost"], true],
    ["http://localhost.example/", ["localhost.example"], false],
    ["http://10.0.0.1/", ["10.0.0.1"], false],
    ["http://127.0.0.1.example/", ["127.0.0.1.example"], false],
  ])("without TLS, where loopback is trusted, of %s and %j is %s (C23)", (url, hosts, may) => {
    expect(mayCarryToken(new URL(url), { hosts, sendsTokenToLoopback: true })).toBe(may);
  });
});
