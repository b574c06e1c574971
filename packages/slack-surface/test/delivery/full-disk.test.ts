import { expect, test } from "vitest";
import { refuseWrites } from "../refuse-writes.ts";
import { SurfaceRig } from "../surface-rig.ts";

// A rejection that nobody handles would end the process; here it fails the run.
test.each([
  ["a stream", "D0ANA", "hello"],
  ["posts", "C0SHOP", "<@U0BOT> hello"],
] as const)(
  "where it cannot be kept how far %s is, nothing more is shown, the process goes on, and all of it is shown once it can",
  async (_name, channel, text) => {
    const rig = await SurfaceRig.start();
    const process = await rig.open();
    const thread = rig.ana.say(channel, text);
    const prompt = await rig.prompted(1);
    prompt.say("One. ");
    await rig.until(() => rig.bodies(channel, thread).join("").includes("One."));
    const free = refuseWrites(rig.directory, "relay.db");
    prompt.say("Two. ");
    await rig.move(10_000);
    prompt.say("Three. ");
    await rig.move(10_000);
    free();
    prompt.say("Four.");
    prompt.end();
    await rig.until(process.isQuiet);
    const shown = rig.bodies(channel, thread).join(" ");
    expect(shown.match(/One|Two|Three|Four/g)).toEqual(["One", "Two", "Three", "Four"]);
  },
);
