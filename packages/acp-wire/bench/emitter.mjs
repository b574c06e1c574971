// Writes session updates when it is told to: `node emitter.mjs batch|single COUNT`, one line per run.
import { createInterface } from "node:readline";

const [how, count] = [process.argv[2], Number(process.argv[3])];
const { TRAFFIC } = await import("./traffic.ts");
const messages = TRAFFIC.mix(count);
const batches = [];
for (let at = 0; at < count; at += 250) batches.push(messages.slice(at, at + 250).join(""));

for await (const _ of createInterface({ input: process.stdin })) {
  for (const text of how === "batch" ? batches : messages) {
    if (!process.stdout.write(text))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}
