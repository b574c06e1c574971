import {
  type ContractApp,
  type ContractPerson,
  collectOrphans,
  contractScript,
  readRecord,
  waitFor,
} from "@acp-kit/testkit";
import { KeptRelay, SOON_MS } from "../kept-relay.ts";
import { PEOPLE, SlackChat } from "./slack-chat.ts";

const TEAM = "T0ACME";
const BOT = "U0BOT";
const people = Object.values(PEOPLE);
/** One for each conversation: Slack lets nobody post more than about once a second in one. */
const channels = Array.from({ length: 40 }, (_, at) => `C0CHAT${at}`);

/** slack-relay with Slack around it. */
export class SlackApp implements ContractApp, AsyncDisposable {
  readonly #relay: KeptRelay;
  readonly #free = [...channels];

  static async start(): Promise<SlackApp> {
    const relay = await KeptRelay.start({
      agent: contractScript,
      config: {
        access: [{ users: [PEOPLE.ana, PEOPLE.bob], role: "user" }],
        lifecycle: { drainSeconds: 1 },
      },
      slack: {
        users: people.map((id) => ({ id, name: id.slice(2).toLowerCase(), team: TEAM })),
        channels: channels.map((id) => ({
          id,
          name: id.toLowerCase(),
          kind: "public",
          members: [...people, BOT],
        })),
      },
    });
    return new SlackApp(relay);
  }

  private constructor(relay: KeptRelay) {
    this.#relay = relay;
  }

  open(): SlackChat {
    const channel = this.#free.pop();
    if (channel === undefined) throw new Error("no channel is left");
    return new SlackChat(this.#relay.slack, channel);
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

  get secrets(): readonly string[] {
    const { botToken, appToken } = this.#relay.slack.app;
    return [botToken, appToken];
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
    const generations = this.#relay.generations;
    this.#relay.kill("SIGKILL");
    for (const pid of generations) process.kill(pid, "SIGKILL");
    await this.#relay.ends();
  }

  async restart(): Promise<void> {
    const isGone = async () => (await collectOrphans(this.#relay.root, 0)).length === 0;
    await waitFor("the agents of the last start to end", isGone, SOON_MS);
    await this.#relay.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
  }
}
