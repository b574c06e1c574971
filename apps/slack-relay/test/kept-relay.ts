import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import {
  AppProcess,
  FakeSlack,
  type FakeSlackOptions,
  findFreePort,
  type TestProxy,
  waitFor,
} from "@acp-kit/testkit";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** For what takes a moment, on a machine that has other things to do. */
export const SOON_MS = 60_000;

export type KeptRelayOptions = {
  /** What the agent does. */
  readonly agent: Script;
  /** Beside what makes it serve the workspace and admit everybody. */
  readonly config?: object;
  readonly slack?: FakeSlackOptions;
  /** Of the bot, beside its tokens. */
  readonly bot?: object;
  /** How events come in. [socket] */
  readonly transport?: "socket" | "http";
  /** The only way out, for a workspace that has a `host`. */
  readonly throughProxy?: (slack: FakeSlack) => Promise<TestProxy>;
};

/** A workspace with slack-relay, which can be started again. Disposing ends both. */
export class KeptRelay extends AppProcess {
  readonly slack: FakeSlack;
  /** Where events go that do not come over a socket. */
  readonly requestUrl: string;
  readonly #owned = new AsyncDisposableStack();

  /** Resolves once it hears. */
  static async start(options: KeptRelayOptions): Promise<KeptRelay> {
    const isHttp = options.transport === "http";
    const port = await findFreePort();
    const requestUrl = `http://127.0.0.1:${port}/slack/events`;
    const slack = await FakeSlack.start({
      pingEveryMs: 5_000,
      ...options.slack,
      ...(isHttp && { transport: { requestUrl } }),
    });
    const relay = new KeptRelay(slack, requestUrl, isHttp);
    relay.flags.push("--port", String(port));
    const { botToken, appToken, signingSecret } = slack.app;
    const way = isHttp ? { signingSecret } : { appToken };
    const proxy = await options.throughProxy?.(slack);
    if (proxy) relay.#goThrough(proxy);
    relay.configure({
      bots: { chat: { surface: "slack", botToken, apiUrl: slack.apiUrl, ...way, ...options.bot } },
      agents: { scripted: { command: relay.agentCommand(options.agent) } },
      access: [{ users: ["*"], role: "user" }],
      stateDir: relay.stateDir,
      ...(proxy && { proxy: proxy.url }),
      ...options.config,
    });
    return await relay.startOrDispose();
  }

  private constructor(slack: FakeSlack, requestUrl: string, isHttp: boolean) {
    super({
      program: [process.execPath, "--conditions=@acp-kit/source", main],
      hostEnv: process.env,
      serves: (stdout) => stdout.includes("Private ") && (isHttp || slack.socketMode.ready > 0),
      withinMs: SOON_MS,
    });
    this.requestUrl = requestUrl;
    this.slack = this.#owned.use(slack);
  }

  /** Resolves once what a person sees of a channel fits. */
  async shows(user: string, channel: string, expected: RegExp): Promise<string> {
    const see = () => this.slack.person(user).see(channel);
    const what = `${expected} in ${channel}`;
    try {
      await waitFor(what, () => expected.test(see()), SOON_MS);
    } catch (error) {
      throw new Error(`${String(error)} There is:\n${see()}`, { cause: error });
    }
    return see();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await using _owned = this.#owned;
    await super[Symbol.asyncDispose]();
  }

  #goThrough(proxy: TestProxy): void {
    this.#owned.use(proxy);
    const trusted = path.join(this.root, "proxy.pem");
    writeFileSync(trusted, proxy.cert);
    this.env["NODE_EXTRA_CA_CERTS"] = trusted;
  }
}
