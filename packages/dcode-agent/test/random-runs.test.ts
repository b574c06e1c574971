import { type DcodeStep, waitFor } from "@acp-kit/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Listener, Rig, SOON_MS, text } from "./rig.ts";

const RUNS = process.env["ACP_KIT_SOAK"] ? 200 : 15;

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
    result: fc.constantFrom(
      "none" as const,
      { output: "<ok>\n" },
      { ok: false, output: "no" },
      { has_exit: true, exit_code: 2 },
      { diff: "@@ -1,1 +1,1 @@ b\n-1\n+2\n" },
    ),
  },
  { requiredKeys: ["name", "result"] },
);

const step: fc.Arbitrary<DcodeStep> = fc.oneof(
  fc.record({ kind: fc.constant("say" as const), text: fc.string() }),
  fc.record({ kind: fc.constant("think" as const), text: fc.string() }),
  fc.record({ kind: fc.constant("rounds" as const), done: fc.nat(9), total: fc.constant(9) }),
  fc
    .array(call, { minLength: 1, maxLength: 3 })
    .map((calls) => ({ kind: "tools", calls: structuredClone(calls) }) as DcodeStep),
  fc.record({
    kind: fc.constant("emit" as const),
    type: fc.constant("session.notice"),
    payload: fc.jsonValue(),
  }),
);

const run = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  decisions: fc.array(fc.constantFrom("allow", "allow_session", "deny", "cancel"), {
    minLength: 1,
    maxLength: 4,
  }),
  /** After how many further updates the stream is cut, and whether within a frame. */
  cuts: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), {
    minLength: 3,
    maxLength: 3,
  }),
});

const textsOf = (steps: readonly DcodeStep[], kind: "say" | "think") =>
  steps.map((each) => (each.kind === kind ? each.text : "")).join("");

test("whatever a daemon does and however often it is cut off, cards are closed, prompts answered, nothing is lost or doubled", {
  timeout: 900_000,
}, async () => {
  const scripts = new Map<string, readonly DcodeStep[]>();
  let made = 0;
  await using rig = await Rig.start({
    maxSessions: 1_000,
    idleLag: 1,
    approvalLag: 1,
    script: (turn) => scripts.get(turn.text) ?? [],
  });
  const agent = await rig.agent();

  await fc.assert(
    fc.asyncProperty(run, async ({ steps, decisions, cuts }) => {
      const listener = new Listener();
      const { sessionId } = await agent.newSession(rig.cwd, listener);
      const session = rig.daemon.sessions.at(-1)?.id ?? "";
      let asked = 0;
      listener.answer = async () => {
        const optionId = decisions[asked++ % decisions.length] ?? "deny";
        return optionId === "cancel" ? { outcome: "cancelled" } : { outcome: "selected", optionId };
      };
      const pending = [...cuts];
      let sinceCut = 0;
      const streams = `/v1/sessions/${session}/events`;
      const opened = () =>
        rig.daemon.requests.filter(({ path }) => path.startsWith(streams)).length;
      const cut = () => {
        const next = pending.shift();
        sinceCut = 0;
        if (next?.[1]) rig.daemon.breakStreams(session);
        else if (next) rig.daemon.dropStreams(session);
      };
      const reconnected = () => {
        if (opened() > 3) return true;
        rig.daemon.dropStreams(session);
        return false;
      };
      const update = listener.update.bind(listener);
      listener.update = (params) => {
        update(params);
        sinceCut += 1;
        if (sinceCut >= (pending[0]?.[0] ?? Number.POSITIVE_INFINITY)) cut();
      };
      for (const half of [0, 1]) {
        const key = `run ${made++}`;
        scripts.set(key, steps);
        const prompt = agent.prompt(sessionId, text(key));
        // A cut that meets no stream is none: until there were three, it is cut again.
        if (half === 1) await waitFor("three reconnects", reconnected, SOON_MS);
        expect(await waitFor("the answer", prompt, SOON_MS)).toMatchObject({
          stopReason: "end_turn",
        });
        expect(listener.cards.map(({ status }) => status).filter(isOpen)).toEqual([]);
      }
      const twice = (kind: "say" | "think") => textsOf(steps, kind).repeat(2);
      expect(listener.said()).toBe(twice("say"));
      expect(listener.said("agent_thought_chunk")).toBe(twice("think"));
      expect(listener.said("user_message_chunk")).toBe("");
      const calls = steps.flatMap((each) => (each.kind === "tools" ? each.calls : []));
      expect(listener.cards).toHaveLength(calls.length * 2);
      const ended = listener
        .of("tool_call_update")
        .filter(({ status }) => status === "completed" || status === "failed")
        .map((each) => each["toolCallId"]);
      expect(new Set(ended).size).toBe(ended.length);
      await agent.closeSession(sessionId);
    }),
    { numRuns: RUNS, seed: 20_260_903 },
  );
});

function isOpen(status: unknown): boolean {
  return status !== "completed" && status !== "failed";
}
