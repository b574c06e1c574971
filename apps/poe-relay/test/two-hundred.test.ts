import { fileURLToPath } from "node:url";
import { type PoeQuery, readRecord, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { RelayProcess } from "./relay-process.ts";

const MIB = 1_024;
const WRITE_TIMEOUT_MS = 30_000;
/** Above what loopback takes from a writer whose reader does not read, twice. */
const FLOOD = { lines: 9_000, bytes: 1_000 };

const agent = {
  prompt: [
    {
      kind: "when",
      says: "flood",
      steps: [{ kind: "flood", ...FLOOD, perWrite: 16 }],
      otherwise: [
        {
          kind: "repeat",
          times: 20,
          steps: [
            { kind: "text", text: "{{prompt}} " },
            { kind: "wait", ms: 100 },
          ],
        },
      ],
    },
  ],
} as const;

/**
 * Has 199 conversations at once, and one more whose client never reads.
 *
 * @returns the peak memory of the relay's largest process, in KiB
 */
async function run(options: { withDeadClient: boolean }): Promise<number> {
  const config = { access: [{ users: ["*"] }], log: { level: "debug" } };
  const program = fileURLToPath(new URL("roomy-relay.ts", import.meta.url));
  await using relay = await RelayProcess.start({ program, config, agent });
  let dead: PoeQuery | undefined;
  if (options.withDeadClient) {
    dead = relay.poe.query({ text: "flood" });
    dead.pause();
  }
  const queries = Array.from({ length: 199 }, (_, nth) => relay.poe.query({ text: `n${nth}` }));
  const ends = await Promise.all(queries.map(({ done }) => done));
  expect(new Set(ends.map(({ how }) => how))).toEqual(new Set(["done"]));
  expect(queries.flatMap(({ violations }) => violations)).toEqual([]);
  expect(queries.map((query) => query.body().trim())).toEqual(
    queries.map((_, nth) => Array.from({ length: 20 }, () => `n${nth}`).join(" ")),
  );
  if (dead) {
    expect(relay.stderr).not.toContain("a client is gone");
    const line = await waitFor(
      "the end of the client that does not read",
      () => /^.*a client is gone.*$/m.exec(relay.stderr)?.[0],
      2 * WRITE_TIMEOUT_MS,
    );
    const goneAt = Date.parse((JSON.parse(line) as { time: string }).time);
    const blockedMs = goneAt - floodedAt(relay);
    expect(blockedMs).toBeGreaterThan(WRITE_TIMEOUT_MS);
    expect(blockedMs).toBeLessThan(WRITE_TIMEOUT_MS + 10_000);
    await dead.close();
  }
  relay.kill("SIGTERM");
  expect(await relay.ends()).toBe(0);
  const peaks = [...relay.stdout.matchAll(/^peak (\d+) KiB$/gm)].map(([, peak]) => Number(peak));
  return Math.max(...peaks);
}

/** When the agent was asked to write more than anybody takes. */
function floodedAt(relay: RelayProcess): number {
  const prompt = readRecord(relay.record).find(
    (entry) => entry.kind === "received" && JSON.stringify(entry.params ?? {}).includes('"flood"'),
  );
  if (!prompt) throw new Error("the agent was not asked");
  return prompt.at;
}

test("of two hundred conversations one has a client that never reads: it costs the others nothing, and ends", async () => {
  const without = await run({ withDeadClient: false });
  const withDeadClient = await run({ withDeadClient: true });
  expect(withDeadClient - without).toBeLessThan(64 * MIB);
}, 180_000);
