import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { runCommand } from "../../src/git/run-command.ts";

test("a command whose input breaks off never ends well, however fast it is", async () => {
  const ends = await Promise.all(
    Array.from({ length: 30 }, () =>
      runCommand(["/bin/cat"], {
        identity: {},
        env: {},
        timeoutMs: 30_000,
        maxBytes: 1_000,
        input: new Readable({
          read() {
            this.push("half");
            setImmediate(() => this.destroy(new Error("broken")));
          },
        }),
      }),
    ),
  );
  expect(ends.filter(({ code }) => code === 0)).toEqual([]);
});
