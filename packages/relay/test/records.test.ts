import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../src/log.ts";
import { QUOTAS } from "../src/people/limits.ts";
import { createRecords } from "../src/records.ts";
import { Redactor } from "../src/redactor.ts";
import { temporaryRelayDb } from "./relay-db-of.ts";

async function createRig() {
  const { db, stateDir } = await temporaryRelayDb();
  const records = await createRecords({
    ...{ db, stateDir, app: "poe-relay", now: Date.now },
    settings: {
      ...{ secrets: [], instance: "default", proxy: undefined },
      notices: { allowPrivate: false },
    },
    log: createLog({ level: "silent", redactor: new Redactor(), write: () => {} }),
    roleOf: () => "user",
    projectOf: () => "shop",
  });
  onTestFinished(() => records[Symbol.asyncDispose]());
  const told: string[] = [];
  records.notices.addSink(async ({ kind, text }) => void (kind === "budget" && told.push(text)));
  return { records, told };
}

test.each(QUOTAS.map(({ name, measure }) => [name, measure] as const))(
  "an operator is told of %s as of a budget unless it counts turns",
  async (reason, measure) => {
    const { records, told } = await createRig();
    const about = { reason, user: "u-ana", conversation: "poe/shop/c-1" };
    records.decided({ what: "budget", decision: "warned", ...about });
    records.decided({ what: "turn", decision: "refused", ...about });
    expect(told).toEqual(
      measure === "turns"
        ? []
        : [
            expect.stringContaining(`80 % of a budget is used (limits.${reason})`),
            expect.stringContaining(`A budget is used up (limits.${reason})`),
          ],
    );
  },
);
