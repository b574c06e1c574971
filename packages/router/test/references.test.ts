import { expect, onTestFinished, test } from "vitest";
import type { LogEvent } from "../src/index.ts";
import { AgentRig, outcomeOf } from "./agent-rig.ts";

function createRig(script: object): AgentRig {
  const rig = new AgentRig(script);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

function refOf(events: readonly LogEvent[]): string | undefined {
  const outcome = outcomeOf(events);
  return outcome && "ref" in outcome ? outcome.ref : undefined;
}

const failing = [
  ["an error of the agent", { kind: "fail", code: -32603, message: "planted /srv/x" }],
  ["a death of the agent", { kind: "exit", code: 7 }],
] as const;

test.each(failing)(
  "C24: %s has a reference that finds the error in the report",
  async (_, step) => {
    const rig = createRig({ prompt: [{ kind: "print", to: "stderr", text: "planted" }, step] });
    const events = await rig.run("a");
    const ref = refOf(events);
    expect(ref).toMatch(/^\w{4}$/);
    expect(JSON.stringify(events)).not.toContain("planted");
    const failures = rig.reports.filter((report) => report.kind === "failure");
    expect(failures).toEqual([
      expect.objectContaining({ what: "turn", ref, error: expect.any(Error) }),
    ]);
  },
);

test("a refusal to open a session shows the agent's own sentence when it is plain", async () => {
  const rig = createRig({
    session: [{ kind: "fail", code: -32603, message: "Too many sessions are open" }],
    prompt: [],
  });
  expect(outcomeOf(await rig.run("a"))).toMatchObject({
    kind: "failed",
    phase: "session",
    code: "agent-error",
    message: "The agent opened no session: Too many sessions are open.",
  });
});

test("C24: a refusal to open a session that tells of paths or keys shows its code alone", async () => {
  const message = "cannot read /home/ana/.agent/key sk-123";
  const rig = createRig({ session: [{ kind: "fail", code: -32603, message }], prompt: [] });
  expect(outcomeOf(await rig.run("a"))).toMatchObject({
    message: "The agent answered with an error (code -32603).",
  });
});

test("C24: what an agent says about a prompt that failed stays with the operator, plain or not", async () => {
  const rig = createRig({
    prompt: [{ kind: "fail", code: -32603, message: "Credit balance is too low" }],
  });
  expect(outcomeOf(await rig.run("a"))).toMatchObject({
    message: "The agent answered with an error (code -32603).",
  });
});

test("C38: the end of a question is reported with what was asked and who decided", async () => {
  const toolCall = {
    toolCallId: "1",
    title: "Remove",
    kind: "execute",
    rawInput: { command: "rm x" },
  };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const rig = createRig({ prompt: [{ kind: "ask", toolCall, options }] });
  const events = await rig.run("a", { until: "permission-ask" });
  const asked = events.at(-1);
  if (asked?.kind !== "permission-ask") throw new Error("nothing was asked");
  const { id: permission } = asked.ask;
  await rig.router.submit("c", {
    kind: "answer",
    key: "k",
    user: "ana",
    permission,
    option: "yes",
    at: 1,
  });
  await rig.follow(asked.turn ?? "");
  expect(rig.reports.filter(({ kind }) => kind === "question-ended")).toEqual([
    {
      kind: "question-ended",
      conversation: "c",
      turn: asked.turn,
      agent: "",
      ask: expect.objectContaining({ id: permission, subject: "rm x", toolKind: "execute" }),
      answer: expect.objectContaining({ end: "selected", by: "ana" }),
    },
  ]);
});
