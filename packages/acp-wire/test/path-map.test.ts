import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PathMap } from "../src/path-map.ts";

describe("a path map", () => {
  const map = new PathMap([
    { host: "/srv/work/", agent: "/repo" },
    { host: "/srv/work/deep", agent: "/d" },
    { host: "/home/me", agent: "/" },
  ]);

  it.each([
    ["/srv/work", "/repo"],
    ["/srv/work/a/b", "/repo/a/b"],
    ["/srv/work/deep/x", "/d/x"],
    ["/srv/workshop", "/srv/workshop"],
    ["/etc/passwd", "/etc/passwd"],
    ["/home/me/a", "/a"],
    ["/home/me", "/"],
  ])("shows %s to the agent as %s", (host, agent) => {
    expect(map.toAgent(host)).toBe(agent);
  });

  it("without mappings changes nothing", () => {
    expect(new PathMap().toAgent("/a/b")).toBe("/a/b");
    expect(new PathMap().toHost("/a/b")).toBe("/a/b");
  });

  it("leads there and back", () => {
    const there = new PathMap([{ host: "/srv/work", agent: "/w" }]);
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z.]{1,5}$/)), (parts) => {
        const path = ["/srv/work", ...parts].join("/");
        expect(there.toHost(there.toAgent(path))).toBe(path);
      }),
    );
  });
});
