import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ContentBlock } from "@acp-kit/acp-wire";
import { createDownloads, type Downloads } from "@acp-kit/router/attachments";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesRecordKey } from "../src/files-record.ts";
import {
  type Attachment,
  createRouter,
  type FileLending,
  type LogEvent,
  MemoryStore,
  type PromptItem,
  type Router,
  type RouterConfig,
  type RouterReport,
} from "../src/index.ts";
import { AgentRig, message } from "./agent-rig.ts";
import { loopbackPolicy, startFileServer } from "./attachments/file-server.ts";
import { samples } from "./attachments/samples.ts";
import { PuppetAgent } from "./puppet-agent.ts";

type Server = Awaited<ReturnType<typeof startFileServer>>;

/** A server of files, what fetches from it, and routers over one store. */
class FilesRig implements AsyncDisposable {
  readonly agent = new PuppetAgent({ steering: true });
  readonly store = new MemoryStore();
  readonly reports: RouterReport[] = [];
  readonly directory = mkdtempSync(path.join(tmpdir(), "router-files-"));
  readonly #routers: Router[] = [];

  readonly server: Server;
  readonly downloads: Downloads;

  private constructor(server: Server, downloads: Downloads) {
    this.server = server;
    this.downloads = downloads;
  }

  static async open(answer: RequestListener = serve): Promise<FilesRig> {
    const server = await startFileServer(answer);
    return new FilesRig(server, createDownloads(loopbackPolicy(server.port)));
  }

  createRouter(config: Partial<RouterConfig> = {}): Router {
    const router = createRouter({
      agent: this.agent,
      store: this.store,
      stateDir: this.directory,
      downloads: () => this.downloads,
      turnLimits: { cancelGraceMs: 500 },
      onReport: (report) => this.reports.push(report),
      ...config,
    });
    this.#routers.push(router);
    return router;
  }

  file(name: string, more: Partial<Attachment> = {}): Attachment {
    return { url: `${this.server.url}/${name}`, name, contentType: "", parsedContent: "", ...more };
  }

  message(content: string, files: readonly Attachment[], more: Partial<PromptItem> = {}) {
    const item = message(content, more);
    const query = item.query.map((turn) => ({ ...turn, attachments: files }));
    return { ...item, query };
  }

  /** Waits until the server has been asked so often. */
  async asked(count: number): Promise<void> {
    const late = AbortSignal.timeout(5_000);
    while (this.server.requests.length < count) {
      late.throwIfAborted();
      await new Promise(setImmediate);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const prompt of this.agent.open) prompt.answer();
    for (const router of this.#routers) await router[Symbol.asyncDispose]();
    await this.downloads[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const bodies: Readonly<Record<string, Buffer>> = {
  "/photo.png": samples.png,
  "/notes.txt": samples.text,
  "/big.png": Buffer.concat([samples.png, Buffer.alloc(5_000)]),
};

function serve({ url = "" }: IncomingMessage, response: ServerResponse): void {
  const body = bodies[url];
  response.writeHead(body ? 200 : 404).end(body);
}

/** Takes a request and never answers it. */
const hang = () => {};

async function eventsOf(
  router: Router,
  conversation: string,
  until: LogEvent["kind"] = "turn-end",
) {
  const events: LogEvent[] = [];
  const cursor = router.log(conversation).follow({ after: 0 }, AbortSignal.timeout(10_000));
  for await (const batch of cursor) {
    events.push(...batch);
    if (batch.some(({ kind }) => kind === until)) return events;
  }
  throw new Error(`no ${until}`);
}

const noticesOf = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
const typesOf = (blocks: readonly ContentBlock[]) => blocks.map(({ type }) => type);
const linkOf = (blocks: readonly ContentBlock[]) =>
  blocks.flatMap((one) => (one.type === "resource_link" ? [String(one["uri"])] : []));

let rig: FilesRig;
beforeEach(async () => {
  rig = await FilesRig.open();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe("files of a message", () => {
  test("a picture reaches an agent that takes pictures as a kept file and as itself", async () => {
    await using agent = new AgentRig(
      { prompt: [{ kind: "text", text: "seen" }] },
      { downloads: () => rig.downloads },
    );
    const { query } = rig.message("look", [rig.file("photo.png")]);
    await agent.run("look", { query });
    const [params] = agent.received("session/prompt") as { prompt: ContentBlock[] }[];
    const blocks = params?.prompt ?? [];
    expect(typesOf(blocks)).toEqual(["text", "resource_link", "image"]);
    const [uri = ""] = linkOf(blocks);
    expect(readFileSync(fileURLToPath(uri))).toEqual(samples.png);
    expect(JSON.stringify(blocks)).not.toContain("http:");
  });

  test("an agent that takes no pictures gets the file alone, and it is said", async () => {
    const router = rig.createRouter();
    await router.submit("c", rig.message("look", [rig.file("photo.png")]));
    const prompt = await rig.agent.prompted(1);
    expect(typesOf(prompt.blocks)).toEqual(["text", "resource_link"]);
    prompt.answer();
    expect(noticesOf(await eventsOf(router, "c"))).toEqual([
      "Not shown to the model: photo.png, 70 bytes (saved, but the agent takes no images).",
    ]);
  });

  test("they are kept outside of the directory that the agent works in", async () => {
    const router = rig.createRouter();
    await router.submit("c", rig.message("look", [rig.file("notes.txt")]));
    const [uri = ""] = linkOf((await rig.agent.prompted(1)).blocks);
    expect(fileURLToPath(uri)).toContain(`${rig.directory}/files/`);
    const [{ cwd } = { cwd: "" }] = await router.debug();
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.each([
    ["that takes such is told of their directory", { additionalDirectories: {} }, true],
    ["that does not is not", {}, false],
  ])("an agent %s when a session is opened", async (_, sessionCapabilities, isTold) => {
    const capabilities = { sessionCapabilities };
    await using agent = new AgentRig({ agent: { capabilities }, prompt: [] });
    await agent.run("hello");
    const [params] = agent.received("session/new") as { additionalDirectories?: string[] }[];
    const told = [expect.stringMatching(`^${agent.directory}/files/c-`)];
    expect(params?.additionalDirectories).toEqual(isTold ? told : undefined);
  });

  const lent: FileLending["lend"] = async (paths) => ({
    kind: "lent",
    copies: new Map(paths.map((file) => [file, `/lent/${path.basename(file)}`])),
  });
  const refused: FileLending["lend"] = async () => ({ kind: "refused", message: "No room." });
  const longText = "x".repeat(250_000);

  test.each([
    [
      "cannot be told of directories borrows it",
      {},
      false,
      lent,
      ["/lent/a.txt", "/lent/a.txt.txt"],
    ],
    ["is told of directories opens it where it is", { additionalDirectories: {} }, false, lent, []],
    [
      "may not enter those borrows it all the same",
      { additionalDirectories: {} },
      true,
      lent,
      ["/lent/a.txt", "/lent/a.txt.txt"],
    ],
    ["cannot be lent to is named the original, and it is said", {}, true, refused, []],
  ])("a file whose agent %s", async (_, sessionCapabilities, isAlwaysNeeded, lend, copies) => {
    Object.assign(rig.agent, { capabilities: { sessionCapabilities } });
    const router = rig.createRouter({
      workspaceFor: () => ({
        cwd: rig.directory,
        roots: [],
        filesDir: path.join(rig.directory, "files/c"),
        lending: { isAlwaysNeeded, lend },
      }),
    });
    const file = rig.file("notes.txt", { name: "a.txt", parsedContent: longText });
    await router.submit("c", rig.message("look", [file]));
    const prompt = await rig.agent.prompted(1);
    const links = linkOf(prompt.blocks).map((uri) => fileURLToPath(uri));
    prompt.answer();
    if (copies.length > 0) expect(links).toEqual(copies);
    else for (const link of links) expect(link).toContain(`${rig.directory}/files/c/`);
    expect(links).toHaveLength(2);
    const said = lend === refused ? ["No room."] : [];
    expect(noticesOf(await eventsOf(router, "c"))).toEqual(said);
  });

  test("they are fetched when the message comes, so that a turn that waits needs no URL any more", async () => {
    const router = rig.createRouter();
    await router.submit("c", message("first"));
    const first = await rig.agent.prompted(1);
    await router.submit("c", rig.message("second", [rig.file("notes.txt")]));
    await rig.asked(1);
    first.answer();
    const [uri = ""] = linkOf((await rig.agent.prompted(2)).blocks);
    expect(readFileSync(fileURLToPath(uri))).toEqual(samples.text);
  });

  test("what the platform made of a picture for others is shown, also after a restart, fetched once", async () => {
    Object.assign(rig.agent, { capabilities: { promptCapabilities: { image: true } } });
    const before = rig.createRouter({ maxInlineImageBytes: 100 });
    await before.submit("c", message("first"));
    const first = await rig.agent.prompted(1);
    const big = rig.file("big.png", { renditionUrl: `${rig.server.url}/photo.png` });
    await before.submit("c", rig.message("second", [big]));
    await rig.asked(2);
    await recorded();
    const retired = before.retire();
    first.answer();
    await retired;
    const after = rig.createRouter({ maxInlineImageBytes: 100 });
    await after.recover();
    const prompt = await rig.agent.prompted(2);
    const types = typesOf(prompt.blocks);
    expect(types.slice(-4)).toEqual(["text", "resource_link", "resource_link", "image"]);
    expect(rig.server.requests).toHaveLength(2);
    prompt.answer();
  });

  test("a restart does not fetch them again", async () => {
    const before = rig.createRouter();
    await before.submit("c", message("first"));
    const first = await rig.agent.prompted(1);
    await before.submit("c", rig.message("second", [rig.file("notes.txt"), rig.file("gone")]));
    await rig.asked(2);
    await recorded();
    const retired = before.retire();
    first.answer();
    await retired;
    const after = rig.createRouter();
    await after.recover();
    const { blocks } = await rig.agent.prompted(2);
    expect(rig.server.requests.map(({ url }) => url)).toEqual(["/notes.txt", "/gone", "/gone"]);
    expect(linkOf(blocks)[0]).toMatch(/^file:.*notes\.txt$/);
  });

  test("a message that is run again has its files without fetching them again", async () => {
    const router = rig.createRouter();
    const item = rig.message("look", [rig.file("notes.txt")], { key: "m" });
    for (const attempt of [1, 2]) {
      await router.submit("c", item);
      const prompt = await rig.agent.prompted(attempt);
      expect(linkOf(prompt.blocks)[0]).toMatch(/^file:.*notes\.txt$/);
      prompt.answer();
      const log = router.log("c");
      const cursor = log.follow({ after: 0 }, AbortSignal.timeout(5_000));
      let ends = 0;
      while (ends < attempt) {
        const events = (await cursor.next()) ?? [];
        ends += events.filter(({ kind }) => kind === "turn-end").length;
      }
      const { seq } = await log.checkpoint("reader");
      await log.confirm("reader", seq, { seq: await log.last(), delivered: ["m"] });
    }
    expect(rig.server.requests).toHaveLength(1);
  });

  test("a message that repeats the file of another one of the transcript has it without fetching it again, any other fetches it", async () => {
    const router = rig.createRouter();
    const first = rig.message("look", [rig.file("notes.txt")], { key: "m1" });
    await router.submit("c", first);
    (await rig.agent.prompted(1)).answer();
    await eventsOf(router, "c");
    const again = rig.message("again", [rig.file("notes.txt")], { key: "m2" });
    await router.submit("c", { ...again, query: [...first.query, ...again.query] });
    const second = await rig.agent.prompted(2);
    expect(linkOf(second.blocks)[0]).toMatch(/^file:.*notes\.txt$/);
    expect(rig.server.requests).toHaveLength(1);
    second.answer();
    await router.submit("c", rig.message("other", [rig.file("notes.txt")], { key: "m3" }));
    await rig.agent.prompted(3);
    expect(rig.server.requests).toHaveLength(2);
  });

  test("one that cannot be had is said, and the message is answered all the same", async () => {
    const router = rig.createRouter();
    await router.submit("c", rig.message("look", [rig.file("gone"), rig.file("notes.txt")]));
    const prompt = await rig.agent.prompted(1);
    expect(linkOf(prompt.blocks)).toEqual([
      `${rig.server.url}/gone`,
      expect.stringMatching(/^file:/),
    ]);
    prompt.answer();
    expect(noticesOf(await eventsOf(router, "c"))).toEqual([
      "Not shown to the model: gone (it could not be fetched: the server refused it).",
    ]);
  });

  test("a slow one holds up neither its own acknowledgement nor another conversation, and ends with its turn", async () => {
    await using slow = await FilesRig.open(hang);
    const router = slow.createRouter();
    const { turn } = await router.submit("slow", slow.message("look", [slow.file("never")]));
    await slow.asked(1);
    await router.submit("quick", message("hello"));
    (await slow.agent.prompted(1)).answer();
    await eventsOf(router, "quick");
    const log = await eventsOf(router, "slow", "status");
    expect(log.at(-1)).toMatchObject({ phase: "fetching-files" });
    const closed = new Promise((done) => slow.server.requests[0]?.once("close", done));
    await router.cancelTurn("slow", turn, "user");
    await closed;
    expect(slow.agent.prompts).toHaveLength(1);
  });

  test("those of a message that is taken back are removed, and those of others stay", async () => {
    const takenBack: string[] = [];
    const takeBack = async (directories: readonly string[]) => void takenBack.push(...directories);
    const router = rig.createRouter({
      workspaceFor: () => ({
        ...{ cwd: rig.directory, roots: [], filesDir: path.join(rig.directory, "files/c") },
        takeBack,
      }),
    });
    const names = () =>
      readdirSync(rig.directory, { recursive: true }).map((name) => path.basename(String(name)));
    for (const [key, name] of [
      ["m1", "notes.txt"],
      ["m2", "photo.png"],
    ] as const) {
      await router.submit("c", rig.message("look", [rig.file(name)], { key }));
      (await rig.agent.prompted(key === "m1" ? 1 : 2)).answer();
    }
    expect(names()).toEqual(expect.arrayContaining(["notes.txt", "photo.png"]));
    await router.submit("c", { kind: "redact", key: "r", message: "m1", at: 1 });
    expect(names()).not.toContain("notes.txt");
    expect(names()).toContain("photo.png");
    expect(takenBack).toEqual([expect.stringMatching(/^[^/]+$/)]);
    expect(names()).not.toContain(takenBack[0]);
    const record = await rig.store.readRecord(filesRecordKey("c"));
    expect(JSON.stringify(record)).not.toContain("notes");
    expect(JSON.stringify(record)).toContain("photo");
    const asked = (await eventsOf(router, "c")).flatMap((event) =>
      event.kind === "turn-queued" ? [event.text] : [],
    );
    expect(asked).toEqual(["", "look"]);
  });

  test("one that comes with a message for the running turn goes with it", async () => {
    const router = rig.createRouter();
    await router.submit("c", message("first"));
    await rig.agent.prompted(1);
    await router.submit("c", rig.message("also", [rig.file("notes.txt")], { busy: "steer" }));
    await eventsOf(router, "c", "steered");
    expect(rig.agent.steers).toEqual(["also"]);
    expect(linkOf(rig.agent.steered[0] ?? [])[0]).toMatch(/^file:.*notes\.txt$/);
  });

  test("a message for the running turn that is dropped while its files come is not given to the agent", async () => {
    await using slow = await FilesRig.open((request, response) => {
      if (request.url !== "/never") serve(request, response);
    });
    const router = slow.createRouter();
    await router.submit("c", message("first"));
    await slow.agent.prompted(1);
    const item = slow.message("also", [slow.file("never")], { busy: "steer" });
    const { turn } = await router.submit("c", item);
    await slow.asked(1);
    await router.cancelTurn("c", turn, "user");
    const next = slow.message("next", [slow.file("notes.txt")], { busy: "steer" });
    await router.submit("c", next);
    await eventsOf(router, "c", "steered");
    expect(slow.agent.steers).toEqual(["next"]);
  });

  test("a router that retires waits for no files of a message that the running turn was to be given", async () => {
    await using slow = await FilesRig.open(hang);
    const router = slow.createRouter();
    await router.submit("c", message("first"));
    const first = await slow.agent.prompted(1);
    const item = slow.message("also", [slow.file("never")], { busy: "steer" });
    const { turn } = await router.submit("c", item);
    await slow.asked(1);
    const retired = router.retire();
    first.answer();
    await retired;
    expect((await router.openTurns("c")).map((one) => one.turn)).toEqual([turn]);
  });

  test("C13: files of somebody else make a turn ask although a policy allows what it does", async () => {
    const router = rig.createRouter({ permissionPolicy: () => "allow" });
    await router.submit("c", message("first"));
    const first = await rig.agent.prompted(1);
    expect(await first.ask()).toMatchObject({ optionId: "yes" });
    const bob = { user: "bob", key: "b" };
    const { turn } = await router.submit("c", rig.message("mine", [rig.file("notes.txt")], bob));
    await rig.asked(1);
    await recorded();
    await router.cancelTurn("c", turn, "user", "bob");
    first.answer();
    await router.submit("c", message("second"));
    void (await rig.agent.prompted(2)).ask();
    await eventsOf(router, "c", "permission-ask");
  });
});

describe("the config's fields for files", () => {
  test("a value that cannot be kept is clamped, and reported", () => {
    rig.createRouter({ attachmentTtlMs: 1, sessionTtlMs: 5_000, maxAttachmentBytes: 0 });
    expect(rig.reports).toEqual([
      { kind: "clamped", text: "maxAttachmentBytes is 1 instead of 0." },
      { kind: "clamped", text: "attachmentTtlMs is 5000 instead of 1." },
    ]);
  });

  test.each<[Partial<RouterConfig>, string]>([
    [{ maxAttachmentBytes: 1_000 }, "big.png (too large to be fetched)"],
    [{ maxInlineImageBytes: 1_000 }, "big.png, 5 KiB (saved, but larger than 1000 bytes)"],
  ])("%j decides what is kept and shown", async (config, said) => {
    await using agent = new AgentRig(
      { prompt: [{ kind: "text", text: "seen" }] },
      { downloads: () => rig.downloads, ...config },
    );
    const { query } = rig.message("look", [rig.file("big.png")]);
    const notices = noticesOf(await agent.run("look", { query }));
    expect(notices).toEqual([`Not shown to the model: ${said}.`]);
  });

  test("C23: without downloads of its own a router fetches over HTTPS from public addresses, and hands the agent no other URL", async () => {
    const { agent, store, directory: stateDir } = rig;
    const router = createRouter({ agent, store, stateDir });
    const files = [rig.file("notes.txt"), rig.file("b", { url: "https://127.0.0.1/b" })];
    await router.submit("c", rig.message("look", files));
    const prompt = await rig.agent.prompted(1);
    expect(typesOf(prompt.blocks)).toEqual(["text", "text"]);
    expect(JSON.stringify(prompt.blocks)).not.toContain("://");
    prompt.answer();
    expect(noticesOf(await eventsOf(router, "c"))).toEqual([
      "Not shown to the model: notes.txt (its address is not one that is fetched), b (it is at an address that may not be contacted).",
    ]);
    await router[Symbol.asyncDispose]();
    expect(rig.server.requests).toEqual([]);
  });

  test("all files of a conversation together stay below its quota, and another one has its own", async () => {
    await using large = await FilesRig.open((_, response) => response.end("x".repeat(1_000)));
    const router = large.createRouter({ maxAttachmentBytes: 1_000, attachmentQuotaBytes: 2_500 });
    const files = ["a", "b", "c"].map((name) => large.file(name));
    await router.submit("c", large.message("look", files));
    (await large.agent.prompted(1)).answer();
    expect(noticesOf(await eventsOf(router, "c"))).toEqual([
      "Not shown to the model: c (this conversation holds as many files as it may).",
    ]);
    await router.submit("d", large.message("look", files.slice(0, 1)));
    expect(linkOf((await large.agent.prompted(2)).blocks)[0]).toMatch(/^file:/);
  });

  test("files that are older than attachmentTtlMs are gone after a tick of runGc, and younger ones are not", async () => {
    const router = rig.createRouter({ attachmentTtlMs: 3_600_000, sessionTtlMs: 3_600_000 });
    await router.submit("c", rig.message("look", [rig.file("notes.txt"), rig.file("photo.png")]));
    const [old = "", young = ""] = linkOf((await rig.agent.prompted(1)).blocks).map((uri) =>
      fileURLToPath(uri),
    );
    const past = new Date(Date.now() - 3_700_000);
    utimesSync(old, past, past);
    using _gc = router.runGc(1);
    const late = AbortSignal.timeout(5_000);
    const dir = path.dirname(old);
    while (readdirSync(dir).length > 1) {
      late.throwIfAborted();
      await new Promise(setImmediate);
    }
    expect(readdirSync(dir)).toEqual([path.basename(young)]);
  });
});

test("the package's main entry needs neither an HTTP client nor signatures of file types", async () => {
  const index = new URL("../src/index.ts", import.meta.url).href;
  const hooks = `
    const { registerHooks } = await import("node:module");
    registerHooks({ resolve(name, context, next) {
      if (/^(undici|file-type|ipaddr)/.test(name)) throw new Error("it imports " + name);
      return next(name, context);
    } });
    console.log(Object.keys(await import(${JSON.stringify(index)})).includes("createRouter"));`;
  const args = ["--conditions=@acp-kit/source", "--input-type=module", "--eval", hooks];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim()).toBe("true");
});

/** What has been fetched is in the store a few ticks later. */
async function recorded(): Promise<void> {
  const late = AbortSignal.timeout(5_000);
  while ((await rig.store.readRecord("files:c")) === undefined) {
    late.throwIfAborted();
    await new Promise(setImmediate);
  }
}
