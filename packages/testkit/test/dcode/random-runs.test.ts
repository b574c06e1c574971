import { createSessionState, reduceSession } from "@acp-kit/dcode-client";
import { type DcodeEvent, formatEvent, isKnownEvent } from "@acp-kit/dcode-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DcodeStep } from "../../src/index.ts";
import { retry, rig, upTo } from "./drive.ts";

const call = fc.record({
  name: fc.constantFrom("read", "write", "bash", "mystery"),
  argumentBytes: fc.option(fc.integer({ min: 0, max: 1_500 }), { nil: undefined }),
  ask: fc.option(
    fc.record({
      boundary: fc.constantFrom("network", "filesystem_write", "rule:x"),
      command: fc.constantFrom("a", "b"),
    }),
    { nil: undefined },
  ),
  result: fc.constantFrom("none" as const, { output: "<ok>\n" }, { ok: false }, { has_exit: true }),
});

const step: fc.Arbitrary<DcodeStep> = fc.oneof(
  fc.record({ kind: fc.constant("say" as const), text: fc.string() }),
  fc.record({ kind: fc.constant("think" as const), text: fc.string() }),
  fc.array(call, { minLength: 1, maxLength: 3 }).map(
    (calls) =>
      ({
        kind: "tools",
        calls: calls.map((each) => JSON.parse(JSON.stringify(each))),
      }) as DcodeStep,
  ),
  fc.record({
    kind: fc.constant("emit" as const),
    type: fc.constant("session.notice"),
    payload: fc.jsonValue(),
  }),
);

const run = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  decisions: fc.array(fc.constantFrom("allow", "allow_session", "deny"), { minLength: 1 }),
  /** After how many events each connection is cut, and how. */
  cuts: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()), {
    minLength: 3,
    maxLength: 3,
  }),
  lag: fc.nat(2),
});

test("whatever the daemon does and however often it is cut off, a reader sees its log, and every call ends", {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ steps, decisions, cuts, lag }) => {
      await using target = await rig({ script: steps, idleLag: lag, approvalLag: lag });
      const { client, id, daemon } = target;
      let state = createSessionState(target.session);
      const open = new Set<number>();
      const seen: DcodeEvent[] = [];
      const resolved = new Map<number, AbortController>();
      const answers: Promise<void>[] = [];
      const pending = [...cuts];
      let asked = 0;
      let sinceCut = 0;

      for (const text of ["one", "two"]) {
        await client.submitTurn(id, { text }, { settleMs: 10_000 });
        for await (const event of client.events(id, { from: state.position + 1, retry })) {
          seen.push(event);
          const { call: about, ended, approval, ...next } = reduceSession(state, event);
          ({ state } = next);
          if (about) open.add(about.seq);
          for (const { seq } of ended) open.delete(seq);
          if (event.type === "tool.completed" && about) open.delete(about.seq);
          if (event.type === "tool.approval_required" && approval) {
            const decision = decisions[asked % decisions.length] as "allow";
            asked += 1;
            const stop = new AbortController();
            resolved.set(approval.seq, stop);
            const options = { settleMs: 10_000, signal: stop.signal };
            // Some were granted without asking: those refuse the answer until the signal says why.
            answers.push(
              client
                .resolveApproval(id, approval.request.approval_id, decision, options)
                .catch(() => {}),
            );
          }
          if (event.type === "tool.approval_resolved" && approval)
            resolved.get(approval.seq)?.abort();
          sinceCut += 1;
          const cut = pending[0];
          if (cut && sinceCut >= cut[0]) {
            pending.shift();
            sinceCut = 0;
            if (cut[1]) daemon.dropStreams(id);
            else daemon.breakStreams(id);
          }
          if (event.type === "turn.completed") break;
        }
        await Promise.all(answers);
      }

      expect([...open]).toEqual([]);
      expect(state).toMatchObject({ calls: [], approvals: [] });
      expect(
        seen.filter((event) => isKnownEvent(event) && event.type === "turn.completed"),
      ).toHaveLength(2);
      const log = await upTo(target, state.position);
      expect(seen.map(formatEvent)).toEqual(log.map(formatEvent));
    }),
    { numRuns: 40 },
  );
});
