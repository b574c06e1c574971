import { idlePacer, nextFlush, reducePacer } from "@acp-kit/relay";

let pacing = idlePacer;
let now = 1_764_500_001_000; // milliseconds since the epoch

pacing = reducePacer(pacing, { kind: "chunk", text: "Hello", at: now });
console.log(nextFlush(pacing, now) === now); // true: the first words go out at once

pacing = reducePacer(pacing, { kind: "flushed" });
console.log(nextFlush(pacing, now)); // undefined: nothing is pending

now += 5_000;
pacing = reducePacer(pacing, { kind: "chunk", text: ", world", at: now });
console.log((nextFlush(pacing, now) ?? 0) - now); // 1000: at the next multiple of 3 s
