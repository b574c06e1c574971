import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ContractApp,
  type ContractFile,
  type ContractPerson,
  collectOrphans,
  contractScript,
  FakePoe,
  readRecord,
  waitFor,
} from "@acp-kit/testkit";
import { startFileHost } from "../file-host.ts";
import { KeptRelay, SOON_MS } from "../kept-relay.ts";
import { PEOPLE, PoeChat } from "./poe-chat.ts";

const KEY = "0123456789abcdefghijklmnopqrstuv";
const program = fileURLToPath(new URL("relay-with-uploads.ts", import.meta.url));

/** poe-relay with Poe around it. */
export class PoeApp implements ContractApp, AsyncDisposable {
  readonly secrets = [KEY];
  readonly #relay: KeptRelay;
  readonly #platform: FakePoe;
  readonly #offer: (file: ContractFile) => string;
  readonly #chats: PoeChat[] = [];
  readonly #owned: AsyncDisposableStack;

  static async start(): Promise<PoeApp> {
    await using stack = new AsyncDisposableStack();
    const offered = new Map<string, Uint8Array>();
    const host = stack.use(await startFileHost((at) => offered.get(at) ?? Buffer.of()));
    const platform = stack.use(await FakePoe.start({ accessKey: KEY, bot: "bot" }));
    const root = mkdtempSync(path.join(tmpdir(), "pc-"));
    stack.defer(() => rmSync(root, { recursive: true, force: true }));
    const trusted = path.join(root, "cert.pem");
    writeFileSync(trusted, host.cert);
    const config = {
      access: [{ users: [PEOPLE.ana, PEOPLE.bob], role: "user" }],
      attachments: { hosts: ["localhost"], proxy: host.proxy },
      lifecycle: { drainSeconds: 1 },
    };
    const env = { NODE_EXTRA_CA_CERTS: trusted, POE_UPLOAD_URL: platform.uploadUrl };
    const relay = stack.use(await KeptRelay.start(contractScript, config, { program, env }));
    const offer = ({ name, bytes }: ContractFile) => {
      const at = `/${offered.size}/${name}`;
      offered.set(at, bytes);
      return `https://localhost${at}`;
    };
    return new PoeApp(relay, platform, offer, stack.move());
  }

  private constructor(
    relay: KeptRelay,
    platform: FakePoe,
    offer: (file: ContractFile) => string,
    owned: AsyncDisposableStack,
  ) {
    this.#relay = relay;
    this.#platform = platform;
    this.#offer = offer;
    this.#owned = owned;
  }

  open(): PoeChat {
    const chat = new PoeChat(this.#relay.poe, this.#platform, this.#offer);
    this.#chats.push(chat);
    return chat;
  }

  idOf(person: ContractPerson): string {
    return PEOPLE[person];
  }

  get record() {
    return readRecord(this.#relay.record);
  }

  get agentPid(): number {
    return this.record.findLast(({ kind }) => kind === "start")?.pid ?? 0;
  }

  get output(): string {
    return this.#relay.stdout + this.#relay.stderr;
  }

  async orphans(): Promise<readonly unknown[]> {
    return await collectOrphans(this.#relay.root);
  }

  async handOver(): Promise<void> {
    await this.#relay.handOver();
  }

  async stop(): Promise<unknown> {
    this.#relay.kill("SIGTERM");
    return await this.#relay.ends();
  }

  async kill(): Promise<void> {
    for (const pid of [this.#relay.pid, ...this.#relay.generations]) process.kill(pid, "SIGKILL");
    await this.#relay.ends();
  }

  async restart(): Promise<void> {
    await waitFor(
      "the agents of the last start to end",
      async () => {
        return (await collectOrphans(this.#relay.root, 0)).length === 0;
      },
      SOON_MS,
    );
    await this.#relay.start();
    for (const chat of this.#chats) await chat.askAgain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
