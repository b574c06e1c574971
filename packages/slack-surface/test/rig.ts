import { FakeSlack, type FakeSlackOptions, ManualClock } from "@acp-kit/testkit";
import { onTestFinished } from "vitest";
import { CallQueue, createSlackCaller, type SlackCaller } from "../src/index.ts";

export type Rig = {
  readonly clock: ManualClock;
  readonly slack: FakeSlack;
  /** With the bot's token. */
  readonly call: SlackCaller;
  /** With the app's. */
  readonly callAsApp: SlackCaller;
};

export async function startSlack(options: FakeSlackOptions = {}): Promise<Rig> {
  const clock = new ManualClock();
  const slack = await FakeSlack.start({ clock, ...options });
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const { apiUrl, app } = slack;
  return {
    clock,
    slack,
    call: createSlackCaller({ token: app.botToken, apiUrl }),
    callAsApp: createSlackCaller({ token: app.appToken, apiUrl }),
  };
}

/** A queue that counts what is on its way, so that a test can wait until nothing is. */
export function createQueue({ call, clock }: Pick<Rig, "call" | "clock">) {
  let flying = 0;
  const settling: (() => void)[] = [];
  const queue = new CallQueue(async (method, args) => {
    flying += 1;
    const result = await call(method, args);
    flying -= 1;
    if (flying === 0) setImmediate(() => flying === 0 && settling.splice(0).map((done) => done()));
    return result;
  }, clock);
  onTestFinished(() => queue[Symbol.dispose]());
  /** Resolves when nothing is on its way. */
  const quiet = async () => {
    if (flying > 0) await new Promise<void>((resolve) => settling.push(resolve));
  };
  return { queue, quiet };
}
