import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { connectClient, connectFloor, type Library } from "./clients.ts";
import { pipeChunks, TRAFFIC, type TrafficKind } from "./traffic.ts";

const RUNS = 5;
const MESSAGES = 50_000;
/** So many that the compiler has done with both: after 3,000 a third of what they take is still its work. */
const ROUND_TRIPS = 15_000;
const FLAGS = ["--conditions=@acp-kit/source"];
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** CPU time of taking messages from memory, in µs each. `floor` splits and parses, and no more. */
async function memory(kind: TrafficKind): Promise<Record<Library | "floor", number>> {
  const chunks = pipeChunks(TRAFFIC[kind](MESSAGES));
  const run = {
    ours: () => receive("ours", chunks),
    sdk: () => receive("sdk", chunks),
    floor: async () => splitAndParse(chunks),
  };
  return perMessage(await medians(cpu, run), MESSAGES);
}

function receive(library: Library, chunks: readonly Uint8Array[]): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const nowhere = new Writable({ write: (_chunk, _encoding, callback) => callback() });
    connectClient[library](Readable.from(chunks, { objectMode: true }), nowhere, () => {
      if (++seen === MESSAGES) resolve();
    });
  });
}

function splitAndParse(chunks: readonly Uint8Array[]): void {
  let rest: Buffer = Buffer.alloc(0);
  let seen = 0;
  for (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      if (JSON.parse(bytes.toString("utf8", start, end)).method === "session/update") seen++;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (seen !== MESSAGES) throw new Error(`${seen} of ${MESSAGES}`);
}

/** Time to take messages that a child process writes, in µs each. */
async function stdio(how: "batch" | "single"): Promise<Record<Library, number>> {
  const count = how === "batch" ? MESSAGES : MESSAGES / 2;
  const run = Object.fromEntries(
    (["ours", "sdk"] as const).map((library) => {
      const child = start([file("emitter.mjs"), how, String(count)]);
      let seen = 0;
      let done: () => void = () => {};
      connectClient[library](child.stdout as Readable, new Writable(), () => {
        if (++seen % count === 0) done();
      });
      const once = () =>
        new Promise<void>((resolve) => {
          done = resolve;
          child.stdin?.write("go\n");
        });
      return [library, once];
    }),
  ) as Record<Library, () => Promise<void>>;
  return perMessage(await medians(wall, run), count);
}

/**
 * Time of a prompt that is answered at once, both ends by one library, in µs. `floor` is what two
 * processes take that only write, read and parse: most of it is the system waking one, then the other.
 */
async function roundTrips(): Promise<Record<Library | "floor", number>> {
  const names = ["ours", "sdk", "floor"] as const;
  const run = Object.fromEntries(
    names.map((name) => {
      const { stdout, stdin } = start([file("echo-agent.ts"), name]);
      const io = [stdout as Readable, stdin as Writable] as const;
      const peer = name === "floor" ? connectFloor(...io) : connectClient[name](...io, () => {});
      const once = async () => {
        const params = { sessionId: "s", prompt: [{ type: "text", text: "hello" }] };
        for (let at = 0; at < ROUND_TRIPS; at++) await peer.request("session/prompt", params);
      };
      return [name, once];
    }),
  ) as Record<Library | "floor", () => Promise<void>>;
  return perMessage(await medians(wall, run), ROUND_TRIPS);
}

/** Time of importing a module in a fresh process, in ms: what each publishes, as JavaScript. */
async function imports(): Promise<Record<Library, number>> {
  const directory = mkdtempSync(join(tmpdir(), "acp-wire-bench-"));
  const ours = join(directory, "index.mjs");
  await build({
    entryPoints: [file("../src/index.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: ours,
  });
  const load = (specifier: string) => async () => {
    const code = `const t=performance.now();await import(${JSON.stringify(specifier)});console.log(performance.now()-t)`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: file("."),
      encoding: "utf8",
    });
    return Number(output);
  };
  const times = await medians(wall, { ours: load(ours), sdk: load("@agentclientprotocol/sdk") });
  rmSync(directory, { recursive: true });
  return times;
}

const children: ChildProcess[] = [];
function start(args: string[]): ChildProcess {
  const child = spawn(process.execPath, [...FLAGS, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

type Clock = () => number;
const wall: Clock = () => performance.now();
/** CPU time of this process, in ms: what a busy machine does not change much. */
const cpu: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The median of each, in ms; the runs alternate, so that a busy machine is busy for all. */
async function medians<Name extends string>(
  clock: Clock,
  runs: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(runs) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -1; round < RUNS; round++) {
    for (const name of names) {
      const from = clock();
      const own = await runs[name]();
      // The first round warms up.
      if (round >= 0) times.get(name)?.push(typeof own === "number" ? own : clock() - from);
    }
  }
  const entries = names.map((name) => {
    const sorted = [...(times.get(name) ?? [])].sort((a, b) => a - b);
    return [name, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN];
  });
  return Object.fromEntries(entries) as Record<Name, number>;
}

function perMessage<Name extends string>(ms: Record<Name, number>, count: number) {
  const entries = Object.entries<number>(ms).map(([name, value]) => [
    name,
    round((value / count) * 1_000),
  ]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

const round = (value: number) => Math.round(value * 100) / 100;
const ratio = (one: number, other: number) => round(one / other);

const mix = await memory("mix");
const tool = await memory("tool");
const batch = await stdio("batch");
const single = await stdio("single");
const trips = await roundTrips();
const load = await imports();
for (const child of children) child.kill();

const report = {
  node: process.version,
  runs: RUNS,
  memory: { unit: "µs per message", mix, tool },
  stdio: { unit: "µs per message", batch, single },
  roundTrip: { unit: "µs", ...trips },
  import: { unit: "ms", ours: round(load.ours), sdk: round(load.sdk) },
  ratios: {
    "memory mix, SDK / ours": { is: ratio(mix.sdk, mix.ours), atLeast: 5 },
    "memory mix, floor / ours": { is: ratio(mix.floor, mix.ours), atLeast: 0.65 },
    "memory tool_call_update, SDK / ours": { is: ratio(tool.sdk, tool.ours), atLeast: 12 },
    "stdio batch emitter, SDK / ours": { is: ratio(batch.sdk, batch.ours), atLeast: 4 },
    "stdio one write each, SDK / ours": { is: ratio(single.sdk, single.ours), atLeast: 2.5 },
    "round trip, SDK / ours": { is: ratio(trips.sdk, trips.ours), atLeast: 2.3 },
    "round trip, SDK / floor": { is: ratio(trips.sdk, trips.floor), atLeast: 0 },
    "import, SDK / ours": { is: ratio(load.sdk, load.ours), atLeast: 5 },
  },
};
console.log(JSON.stringify(report, null, 2));
process.exit(Object.values(report.ratios).every(({ is, atLeast }) => is >= atLeast) ? 0 : 1);
