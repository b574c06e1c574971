import { type DcodeStep, type DcodeTurn, demoDcodeScript, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { Relay } from "./relay.ts";
import { Rig, SOON_MS } from "./rig.ts";

/** The demo, with gates at which it can be looked at. */
function* script(turn: DcodeTurn): Generator<DcodeStep, void> {
  if (turn.text.includes("wait")) {
    yield { kind: "say", text: "Waiting." };
    yield { kind: "wait", gate: `go ${turn.number}` };
  } else if (turn.text.includes("look")) {
    yield { kind: "rounds", done: 3, total: 50 };
    yield { kind: "plan", items: [{ id: 1, text: "Look around", status: "active" }] };
    yield { kind: "think", text: "Hm." };
    yield { kind: "say", text: "Looking." };
    yield { kind: "wait", gate: "look" };
  } else yield* demoDcodeScript(turn);
}

test("a chat drives a dcode daemon: stream, plan, mood, an approval, Stop, restarts of relay and daemon", {
  timeout: 180_000,
}, async () => {
  await using rig = await Rig.start({ script });
  let conversation: string;
  {
    await using relay = await Relay.start(rig.root, rig.command);

    const looking = relay.poe.query({ text: "look around" });
    ({ conversation } = looking.ids);
    await looking.waitFor((one) => one.body().includes("Looking."), SOON_MS);
    await looking.waitFor((one) => /writing/.test(one.body()) && /3\/50/.test(one.body()), SOON_MS);
    expect(looking.body()).toContain("Look around");
    rig.daemon.open("look");
    expect((await looking.done).how).toBe("done");

    const asking = relay.poe.query({ conversation, text: "please ask" });
    expect((await asking.done).how).toBe("done");
    expect(asking.body()).toContain("npm install");
    expect(rig.daemon.sessions[0]?.state).toBe("blocked");
    const allowed = relay.poe.query({ conversation, text: "1" });
    expect((await allowed.done).how).toBe("done");
    expect(allowed.body()).toContain("You said: please ask. Done.");
    const answers = rig.daemon.requests.filter(({ path }) => path.includes("/approvals/"));
    expect(answers.at(-1)?.body).toBe('{"decision":"allow"}');

    const stopped = relay.poe.query({ conversation, text: "wait for me" });
    await stopped.waitFor((one) => one.body().includes("Waiting."), SOON_MS);
    await stopped.close();
    await waitFor(
      "the interrupt",
      () => rig.daemon.requests.some(({ path }) => path.endsWith("/interrupt")),
      30_000,
    );
    await waitFor(
      "the session to be idle",
      () => rig.daemon.sessions[0]?.state === "idle",
      SOON_MS,
    );
  }

  // The relay closes what it had open, and so the session ends at the daemon; its record does not.
  expect(rig.daemon.sessions).toEqual([]);
  {
    await using relay = await Relay.start(rig.root, rig.command);
    const resumed = relay.poe.query({ conversation, text: "hello again" });
    expect((await resumed.done).how).toBe("done");
    expect(resumed.body()).toContain("You said: hello again. Done.");
    expect(resumed.body()).toMatch(/brought back from its record.*approvals/s);
    expect(resumed.body()).not.toContain("memory of this conversation is gone");

    const dying = relay.poe.query({ conversation, text: "wait once more" });
    await dying.waitFor((one) => one.body().includes("Waiting."), SOON_MS);
    await rig.daemon.kill();
    await rig.daemon.start();
    expect((await dying.done).how).toBe("done");
    expect(dying.body()).toMatch(/dcode daemon lost this session/);

    const back = relay.poe.query({ conversation, text: "are you there" });
    expect((await back.done).how).toBe("done");
    expect(back.body()).toMatch(/brought back from its record.*approvals/s);
    expect(back.body()).toContain("You said: are you there. Done.");
    const turns = rig.daemon.requests.filter(({ path }) => path.endsWith("/turns"));
    expect(turns.filter(({ body }) => body.includes("wait once more"))).toHaveLength(1);
    for (const query of [resumed, dying, back]) expect(query.violations).toEqual([]);
  }
});
