import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { client } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { toSdkStream } from "../bench/clients.ts";
import { Conn, serveAgent } from "../src/index.ts";
import { agentFile } from "./agents.ts";
import { connectPair } from "./pair.ts";
import { RawPeer, RawWire, toLines } from "./raw-peer.ts";
import { scripted } from "./served.ts";
import { runs, seed } from "./soak.ts";

const children: { kill(): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

const PROMPTS = 1_000;
const UPDATES = 50;
const OTHERS = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => `_test/${name}`);

function startBurstAgent() {
  const child = spawn(process.execPath, [agentFile("burst-agent.mjs"), String(UPDATES)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

/** How many prompts had not all their updates when they resolved. */
async function countIncomplete(
  prompt: () => Promise<unknown>,
  seen: () => number,
): Promise<number> {
  let incomplete = 0;
  for (let at = 1; at <= PROMPTS; at++) {
    await prompt();
    if (seen() < at * UPDATES) incomplete++;
  }
  return incomplete;
}

describe("a prompt that resolves", () => {
  it("has brought all its updates, whatever handlers were registered before", async () => {
    const child = startBurstAgent();
    const conn = new Conn({ readable: child.stdout, writable: child.stdin });
    let seen = 0;
    for (const method of OTHERS) conn.handleNotify(method, () => {});
    conn.handleNotify("session/update", () => {
      seen++;
    });
    void conn.serve();
    const params = { sessionId: "s", prompt: [] };
    const ours = await countIncomplete(
      () => conn.request("session/prompt", params),
      () => seen,
    );
    expect(ours).toBe(0);
    expect(seen).toBe(PROMPTS * UPDATES);

    const other = startBurstAgent();
    let seenBySdk = 0;
    let app = client({ name: "test" });
    for (const method of OTHERS) {
      app = app.onNotification(
        method,
        (value: unknown) => value,
        () => {},
      );
    }
    const { agent } = app
      .onNotification("session/update", () => {
        seenBySdk++;
      })
      .connect(toSdkStream(other.stdout, other.stdin));
    const sdk = await countIncomplete(
      () => agent.request("session/prompt", { sessionId: "s", prompt: [] }),
      () => seenBySdk,
    );
    console.info(`incomplete of ${PROMPTS} prompts: ours ${ours}, SDK 2.4 ${sdk}`);
  }, 120_000);
});

describe("a cancel in the same write as its prompt", () => {
  it(
    "is never lost, wherever the write is cut",
    async () => {
      const factory = scripted((turn) => turn.cancelled);
      await fc.assert(
        fc.asyncProperty(fc.nat(250), fc.nat(3), async (at, others) => {
          const wire = new RawWire();
          const served = serveAgent({ info: { name: "a", version: "1" }, factory, io: wire.io });
          wire.write({ id: "new", method: "session/new", params: { cwd: "/" } });
          const opened = await wire.answerTo("new");
          const { sessionId } = opened["result"] as { sessionId: string };
          const lines = [
            {
              id: "p",
              method: "session/prompt",
              params: { sessionId, prompt: [{ type: "text", text: "x" }] },
            },
            ...Array.from({ length: others }, (_, index) => ({ method: `_test/${index}` })),
            { method: "session/cancel", params: { sessionId } },
          ];
          const bytes = Buffer.from(toLines(lines));
          wire.input.write(bytes.subarray(0, at));
          wire.input.write(bytes.subarray(at));
          const answer = await wire.answerTo("p");
          expect(answer["result"]).toEqual({ stopReason: "cancelled" });
          wire.input.end();
          await served;
        }),
        { numRuns: runs(100, 5_000), ...seed },
      );
    },
    10 * 60_000,
  );
});

describe("sixty-four sessions whose handlers take their time", () => {
  it("each keep their order, and none waits for another", async () => {
    const { left, right } = connectPair();
    const stuck = Promise.withResolvers<void>();
    const handled = new Map<string, number[]>();
    right.handleNotify("note", async (params) => {
      const { sessionId, n } = params as { sessionId: string; n: number };
      if (sessionId === "s0") await stuck.promise;
      else await sleep(Math.random() * 4);
      handled.set(sessionId, [...(handled.get(sessionId) ?? []), n]);
    });
    right.handle("end", (params) => handled.get((params as { sessionId: string }).sessionId));

    const sessions = Array.from({ length: 64 }, (_, at) => `s${at}`);
    const order = Array.from({ length: 30 }, (_, n) => n);
    for (const n of order) {
      for (const sessionId of sessions) void left.notify("note", { sessionId, n });
    }
    const ends = sessions.map((sessionId) => left.request("end", { sessionId }));
    // The first one is stuck; all the others finish, and each request waits for its own notes.
    expect(await Promise.all(ends.slice(1))).toEqual(sessions.slice(1).map(() => order));
    expect(handled.has("s0")).toBe(false);
    stuck.resolve();
    expect(await ends[0]).toEqual(order);
  }, 60_000);

  it(
    "get each answer behind the notes before it, and before those behind it are done",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ session: fc.nat(3), answer: fc.boolean(), delay: fc.nat(2) }), {
            maxLength: 40,
          }),
          async (steps) => {
            const peer = new RawPeer();
            const events: string[][] = [[], [], [], []];
            peer.conn.handleNotify("note", async (params) => {
              const { sessionId, n, delay } = params as {
                sessionId: string;
                n: number;
                delay: number;
              };
              if (delay > 0) await sleep(delay);
              events[Number(sessionId)]?.push(`note ${n}`);
            });
            const calls = steps.flatMap(({ session, answer }, n) => {
              if (!answer) return [];
              const call = peer.conn.request("ask", { sessionId: String(session) });
              return [call.then(() => events[session]?.push(`answer ${n}`))];
            });
            await peer.received(calls.length);
            let id = 0;
            peer.write(
              ...steps.map(({ session, answer, delay }, n) =>
                answer
                  ? { id: ++id, result: n }
                  : { method: "note", params: { sessionId: String(session), n, delay } },
              ),
            );
            await Promise.all(calls);
            await peer.end();
            for (const [session, seen] of events.entries()) {
              const own = steps.flatMap((step, n) =>
                step.session === session ? [{ ...step, n }] : [],
              );
              const notes = seen.filter((event) => event.startsWith("note"));
              expect(notes).toEqual(
                own
                  .flatMap(({ answer, n }) => (answer ? [] : [`note ${n}`]))
                  .slice(0, notes.length),
              );
              for (const { answer, n } of own) {
                if (!answer) continue;
                const before = own.flatMap((step) =>
                  !step.answer && step.n < n ? [`note ${step.n}`] : [],
                );
                expect(seen.slice(0, seen.indexOf(`answer ${n}`))).toEqual(
                  expect.arrayContaining(before),
                );
              }
            }
          },
        ),
        { numRuns: runs(100, 3_000), ...seed },
      );
    },
    10 * 60_000,
  );
});
