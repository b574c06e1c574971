import { expect, test } from "vitest";
import { socketPaths } from "../src/index.ts";

test.each([
  [{ DCODE_SOCKET: "/a/b.sock", XDG_RUNTIME_DIR: "/run/user/7" }, ["/a/b.sock"]],
  [
    { XDG_RUNTIME_DIR: "/run/user/7", TMPDIR: "/var/t" },
    ["/run/user/7/dcode.sock", "/tmp/dcode-7/dcode.sock"],
  ],
  [
    { TMPDIR: "/var/t/" },
    ["/run/user/7/dcode.sock", "/var/t/dcode-7.sock", "/tmp/dcode-7/dcode.sock"],
  ],
  [
    { DCODE_SOCKET: "", XDG_RUNTIME_DIR: "", TMPDIR: "" },
    ["/run/user/7/dcode.sock", "/tmp/dcode-7.sock", "/tmp/dcode-7/dcode.sock"],
  ],
])("with %j a daemon may listen at %j", (environment, paths) => {
  expect(socketPaths(environment, 7)).toEqual(paths);
});
