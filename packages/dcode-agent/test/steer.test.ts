import { AgentSupervisor } from "@acp-kit/acp-wire";
import {
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  MemoryStore,
  type PromptItem,
} from "@acp-kit/router";
import { type DcodeStep, type DcodeTurn, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { Listener, Rig, SOON_MS, text } from "./rig.ts";

/** Says what it was steered to, once it may go on. */
function* script(turn: DcodeTurn): Generator<DcodeStep, void> {
  yield { kind: "say", text: `${turn.text}. ` };
  yield { kind: "wait", gate: `go ${turn.number}` };
  if (turn.text.includes("end")) return;
  yield { kind: "pause", ms: 0 };
  yield { kind: "say", text: `Steered: ${turn.steers.join(", ")}.` };
}

const isSteered = ({ path }: { readonly path: string }) => path.endsWith("/steer");

/** A prompt that waits at its gate. */
async function waiting(rig: Rig, prompt: string) {
  const agent = await rig.agent();
  const listener = new Listener();
  const { sessionId } = await agent.newSession(rig.cwd, listener);
  const answer = agent.prompt(sessionId, text(prompt));
  await listener.until("the turn", (one) => one.said().includes(prompt));
  return { agent, listener, sessionId, answer };
}

async function sent(rig: Rig, count = 1): Promise<void> {
  await waitFor("the steer", () => rig.daemon.requests.filter(isSteered).length >= count, SOON_MS);
}

test("a message reaches the turn that runs, and its own client is not told of it as another's", async () => {
  await using rig = await Rig.start({ script });
  const { agent, listener, sessionId, answer } = await waiting(rig, "begin");
  const taken = agent.steer(sessionId, text("use pnpm"));
  await sent(rig);
  rig.daemon.open("go 1");
  expect(await taken).toBe(true);
  expect(await answer).toMatchObject({ stopReason: "end_turn" });
  expect(listener.said()).toBe("begin. Steered: use pnpm.");
  expect(listener.said("user_message_chunk")).toBe("");
  expect(await agent.steer(sessionId, text("too late"))).toBe(false);
});

test("a message that the turn's end overtakes is not taken, nor is one with a picture", async () => {
  await using rig = await Rig.start({ script });
  const { agent, sessionId, answer } = await waiting(rig, "end");
  const picture = { type: "image" as const, mimeType: "image/png", data: "AAAA" };
  expect(await agent.steer(sessionId, [...text("like this"), picture])).toBe(false);
  expect(rig.daemon.requests.filter(isSteered)).toEqual([]);
  const taken = agent.steer(sessionId, text("use pnpm"));
  await sent(rig);
  rig.daemon.open("go 1");
  expect(await taken).toBe(false);
  expect(await answer).toMatchObject({ stopReason: "end_turn" });
});

test("a message that counted as taken and was dropped after all is said", {
  timeout: 60_000,
}, async () => {
  await using rig = await Rig.start({ script });
  const { agent, listener, sessionId, answer } = await waiting(rig, "end");
  expect(await agent.steer(sessionId, text("use pnpm"))).toBe(true);
  rig.daemon.open("go 1");
  await answer;
  expect(listener.said()).toMatch(/send it again if it still matters: use pnpm/);
});

test("a router with the policy steer steers a dcode turn, and what is not taken is the next prompt", async () => {
  await using rig = await Rig.start({ script });
  await using store = new MemoryStore();
  await using agent = new AgentSupervisor({
    command: rig.command,
    hostEnv: process.env,
    clientInfo: { name: "test", version: "0" },
  });
  await using router = createRouter({
    agent,
    store,
    stateDir: rig.root,
    busyPolicy: () => "steer",
  });
  let count = 0;
  const post = (content: string) => {
    const key = `m-${count++}`;
    const query = [{ role: "user", content, messageId: key, attachments: [] }] as const;
    const item: PromptItem = {
      kind: "prompt",
      key,
      user: "ana",
      query,
      options: DEFAULT_OPTIONS,
      repeat: "attach",
      at: Date.now(),
    };
    return router.submit("c", item);
  };
  const follow = async (turn: string, until: (event: LogEvent) => boolean) => {
    await using cursor = router.log("c").follow({ after: 0, turn }, AbortSignal.timeout(SOON_MS));
    const events: LogEvent[] = [];
    for await (const batch of cursor) {
      events.push(...batch.filter((event) => event.turn === turn));
      if (events.some(until)) break;
    }
    return events;
  };
  const isEnd = ({ kind }: LogEvent) => kind === "turn-end";

  const first = await post("begin");
  await follow(first.turn, ({ kind }) => kind === "text");
  const steered = await post("use pnpm");
  await sent(rig);
  rig.daemon.open("go 1");
  expect((await follow(steered.turn, isEnd)).at(-1)).toMatchObject({
    outcome: { kind: "skipped", reason: "steered" },
  });
  const events = await follow(first.turn, isEnd);
  expect(events.find(({ kind }) => kind === "steered")).toMatchObject({ text: "use pnpm" });
  const said = events.flatMap((event) => (event.kind === "text" ? [event.text] : []));
  expect(said.join("")).toBe("begin. Steered: use pnpm.");

  const second = await post("end");
  await follow(second.turn, ({ kind }) => kind === "text");
  const late = await post("what now");
  await sent(rig, 2);
  rig.daemon.open("go 2");
  rig.daemon.open("go 3");
  expect((await follow(late.turn, isEnd)).at(-1)).toMatchObject({ outcome: { kind: "completed" } });
});
