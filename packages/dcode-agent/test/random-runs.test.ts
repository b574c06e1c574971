import { DcodeClient } from "@acp-kit/dcode-client";
import { parseEvent } from "@acp-kit/dcode-protocol";
import { type DcodeStep, type FakeDcode, waitFor } from "@acp-kit/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Account } from "./account.ts";
import { heardOf } from "./heard.ts";
import { Listener, Rig, SOON_MS, text } from "./rig.ts";

const RUNS = process.env["ACP_KIT_SOAK"] ? 200 : 15;
const WINDOW = 1_000;
/** How a turn ends, by the reason that it tells; undefined fails its prompt. */
const STOPS: Readonly<Record<string, string | undefined>> = {
  done: "end_turn",
  unverified: "end_turn",
  max_iterations: "max_turn_requests",
  max_tokens: "max_tokens",
  interrupted: "cancelled",
  error: undefined,
};

const call = fc.record(
  {
    name: fc.constantFrom("read", "write", "edit", "bash", "mystery"),
    input: fc.constantFrom<unknown>(
      { path: "a.txt", content: "x" },
      { command: "ls -la" },
      { path: "b", old_string: "1", new_string: "2" },
      null,
      [1],
      "text",
    ),
    argumentBytes: fc.integer({ min: 0, max: 1_500 }),
    ask: fc.record({
      boundary: fc.constantFrom("network", "filesystem_write", "rule:x"),
      command: fc.constantFrom("a", "b"),
    }),
    files: fc.record({ seen: fc.integer({ min: 1, max: 80 }) }),
    result: fc.oneof(
      fc.constant("none" as const),
      fc.record({ output: fc.string(), ok: fc.boolean() }),
      fc.record({ output: fc.string(), exit_code: fc.nat(3), has_exit: fc.constant(true) }),
      fc.record({ output: fc.string(), diff: fc.constant("@@ -1,1 +1,1 @@ b\n-1\n+2\n") }),
    ),
  },
  { requiredKeys: ["name", "result"] },
);

const item = fc.record(
  {
    id: fc.nat(5),
    text: fc.string(),
    status: fc.constantFrom("pending", "active", "done", "blocked"),
    blocked: fc.constant("no key"),
  },
  { requiredKeys: ["id", "text", "status"] },
);

const emitted = <Payload>(type: string, payload: fc.Arbitrary<Payload>) =>
  fc.record({ kind: fc.constant("emit" as const), type: fc.constant(type), payload });

const step: fc.Arbitrary<DcodeStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("say" as const), text: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("think" as const), text: fc.string() }) },
  {
    weight: 4,
    arbitrary: fc
      .array(call, { minLength: 1, maxLength: 3 })
      .map((calls) => ({ kind: "tools", calls: structuredClone(calls) }) as DcodeStep),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("plan" as const), items: fc.array(item) }),
  },
  fc.record(
    { kind: fc.constant("rounds" as const), done: fc.nat(99), total: fc.constant(99) },
    { requiredKeys: ["kind", "done"] },
  ),
  emitted(
    "context.band",
    fc.record({ band: fc.nat(3), fraction: fc.double({ min: 0, max: 1.1, noNaN: true }) }),
  ),
  emitted("session.compacted", fc.constant({ from_seq: 3, to_seq: 9 })),
  emitted("session.renamed", fc.record({ name: fc.string() })),
  emitted(
    "session.mode_changed",
    fc.record({ mode: fc.constantFrom("plan", "assist", "auto", ""), sandbox_mode: fc.string() }),
  ),
  emitted("session.error", fc.record({ code: fc.string(), message: fc.string({ minLength: 1 }) })),
  emitted("turn.steered", fc.record({ turn_id: fc.constant("t1"), text: fc.string() })),
  emitted("skill.loaded", fc.record({ name: fc.string() })),
  emitted(
    "done.proposed",
    fc.constant({
      ...{ proposal_id: "p", turn_id: "t1", round: 1, criteria: null },
      expires_at: "2026-08-11T12:00:00Z",
    }),
  ),
  emitted("session.notice", fc.jsonValue()),
);

const end = fc.record(
  {
    kind: fc.constant("end" as const),
    reason: fc.constantFrom("done", "unverified", "max_iterations", "max_tokens", "error"),
    usage: fc.record(
      { input_tokens: fc.nat(), output_tokens: fc.nat(), context_tokens: fc.nat(WINDOW) },
      { requiredKeys: ["input_tokens", "output_tokens"] },
    ),
    error: fc.record({ code: fc.string(), message: fc.string({ minLength: 1 }) }),
  },
  { requiredKeys: ["kind", "reason"] },
);

const turn = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 8 }), end)
  .map(([steps, last]): readonly DcodeStep[] => [...steps, last]);

const run = fc.record({
  /** One of ours, one of another client, and one of ours that waited behind it. */
  turns: fc.tuple(turn, turn, turn),
  decisions: fc.array(fc.constantFrom("allow", "allow_session", "deny", "cancel"), {
    minLength: 1,
    maxLength: 4,
  }),
  /** In front of which steps the stream is cut, and whether within a frame. */
  cuts: fc.array(fc.record({ turn: fc.nat(2), step: fc.nat(8), broken: fc.boolean() }), {
    minLength: 3,
    maxLength: 3,
  }),
  /** After how many updates the last prompt is cancelled. */
  cancelAfter: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
});
type Run = typeof run extends fc.Arbitrary<infer Value> ? Value : never;

/** The steps of a turn. In front of some the one reader is cut off, once it is there. */
async function* cutting(daemon: FakeDcode, { turns, cuts }: Run, number: number) {
  const steps = turns[number] ?? [];
  for (const [index, each] of steps.entries()) {
    const here = cuts.filter((cut) => cut.turn === number && cut.step % steps.length === index);
    for (const { broken } of here) {
      await waitFor("a reader", () => daemon.readers > 0, SOON_MS);
      if (broken) daemon.breakStreams();
      else daemon.dropStreams();
    }
    yield each;
  }
}

test("whatever a daemon does and however often it is cut off, what is heard is what its log says: all of it, once, in order", {
  timeout: 900_000,
}, async () => {
  const scripts = new Map<string, (daemon: FakeDcode) => AsyncIterable<DcodeStep>>();
  let made = 0;
  const kinds = new Set<string>();
  await using rig = await Rig.start({
    maxSessions: 1_000,
    contextWindow: WINDOW,
    idleLag: 1,
    approvalLag: 1,
    script: (turn) => scripts.get(turn.text)?.(rig.daemon) ?? [],
  });
  const agent = await rig.agent({ clientCapabilities: { session: { notices: {} } } });
  const other = new DcodeClient({ socketPath: rig.daemon.socketPath });

  await fc.assert(
    fc.asyncProperty(run, async (given) => {
      const { decisions, cancelAfter } = given;
      const number = made++;
      const [ours, theirs, last] = [0, 1, 2].map((turn) => {
        const key = `${turn === 1 ? "theirs" : "ours"} ${number} ${turn}`;
        scripts.set(key, (daemon) => cutting(daemon, given, turn));
        return key;
      }) as [string, string, string];
      const listener = new Listener();
      const { sessionId } = await agent.newSession(rig.cwd, listener);
      const session = rig.daemon.sessions.at(-1)?.id ?? "";
      let asked = 0;
      listener.answer = async () => {
        const optionId = decisions[asked++ % decisions.length] ?? "deny";
        return optionId === "cancel" ? { outcome: "cancelled" } : { outcome: "selected", optionId };
      };
      const log = () => rig.daemon.record(session).trimEnd().split("\n").map(parseEvent);
      const prompt = async (key: string) => {
        const answer = agent.prompt(sessionId, text(key)).then(
          ({ stopReason }) => stopReason,
          () => undefined,
        );
        return await waitFor(
          "the answer",
          answer.then((stop) => ({ stop })),
          SOON_MS,
        );
      };
      const ended = () => {
        const { reason } = (log().at(-1)?.payload ?? {}) as { reason?: string };
        return STOPS[reason ?? "none"];
      };
      const account = () =>
        new Account(log(), { window: WINDOW, isOwn: (text) => text.startsWith("ours") }).lines;
      const check = () => {
        const lines = account();
        expect(heardOf(listener.updates)).toEqual(lines);
        for (const line of lines) kinds.add(line.slice(0, line.indexOf(" ")));
      };

      expect(await prompt(ours)).toEqual({ stop: ended() });
      check();

      await other.submitTurn(session, { text: theirs }, { settleMs: SOON_MS });
      let cancelled = false;
      const update = listener.update.bind(listener);
      let until = cancelAfter;
      listener.update = (params) => {
        update(params);
        if (until === undefined || --until !== 0) return;
        cancelled = true;
        void agent.cancel(sessionId);
      };
      const { stop } = await prompt(last);
      if (!cancelled) expect(stop).toBe(ended());
      else {
        expect(["cancelled", ended()]).toContain(stop);
        // It may have been cancelled while it waited: then the other turn runs on, and its questions are open.
        await other.interrupt(session);
        await waitFor("the end of both", async () => {
          const { state } = await other.getSession(session);
          return state === "idle" && heardOf(listener.updates).length >= account().length;
        });
      }
      const reconnected = () => {
        const path = `/v1/sessions/${session}/events`;
        if (rig.daemon.requests.filter((each) => each.path.startsWith(path)).length > 3)
          return true;
        rig.daemon.dropStreams(session);
        return false;
      };
      // A cancelled turn has met some of its cuts no more.
      await waitFor("three reconnects", reconnected, SOON_MS);
      check();
      const asks = listener.asks.map(({ request }) => request.toolCall.toolCallId);
      expect(new Set(asks).size).toBe(asks.length);
      await agent.closeSession(sessionId);
    }),
    // A run that hangs takes long enough once.
    { numRuns: RUNS, seed: 20_260_903, endOnFailure: true },
  );
  expect([...kinds].toSorted().join(" ")).toBe(
    "agent card mode notice option plan status thought title usage user",
  );
});
