import { expect, test } from "vitest";
import { SurfaceRig } from "../surface-rig.ts";

/** The relay closes its database so long after it has told the surface to end, in milliseconds. */
const CLOSED_MS = 11_000;

test.each(["chat.update", "chat.appendStream", "reactions.remove", "conversations.replies"])(
  "a %s that hangs keeps no process from its end",
  async (method) => {
    const rig = await SurfaceRig.start();
    const relay = await rig.open();
    const channel = method === "chat.appendStream" ? "D0ANA" : "C0SHOP";
    const thread = rig.ana.say(channel, "<@U0BOT> one");
    const prompt = await rig.prompted(1);
    prompt.say("Some ");
    await rig.until(() => rig.bodies(channel, thread).join("").includes("Some"));
    await rig.until(() => rig.ana.see(channel).includes(":eyes:"));
    rig.slack.fail(method, { kind: "hang" }, 100);
    prompt.say("more, and so on.");
    // A first mention in a thread is answered with what was said there before.
    const elsewhere = rig.bob.say("C0SHOP", "what is this?");
    rig.bob.say("C0SHOP", "<@U0BOT> look", { thread: elsewhere });
    await rig.move(2_000);
    const before = rig.clock.now();
    await relay.end();
    expect(rig.clock.now() - before).toBeLessThan(CLOSED_MS);
    // Nothing reads what is closed.
    await rig.move(60_000);
    expect(rig.complaints.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
  },
);
