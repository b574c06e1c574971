import {
  type ContractFile,
  type ContractPerson,
  ContractProcess,
  contractScript,
  FakePoe,
} from "@acp-kit/testkit";
import { startFileHost } from "../file-host.ts";
import { KEY, KeptRelay } from "../kept-relay.ts";
import { PEOPLE, PoeChat } from "./poe-chat.ts";

/** poe-relay with Poe around it, which it reaches by a proxy only. */
export class PoeApp extends ContractProcess {
  readonly secrets = [KEY, "planted-password"];
  readonly #relay: KeptRelay;
  readonly #platform: FakePoe;
  readonly #offer: (file: ContractFile) => string;
  readonly #chats: PoeChat[] = [];
  readonly #owned: AsyncDisposableStack;

  static async start(): Promise<PoeApp> {
    await using stack = new AsyncDisposableStack();
    const offered = new Map<string, Uint8Array>();
    const platform = stack.use(await FakePoe.start({ accessKey: KEY, bot: "bot" }));
    const host = stack.use(
      await startFileHost((at) => offered.get(at) ?? Buffer.of(), {
        "www.quora.com": platform.port,
      }),
    );
    const config = {
      ...host.config,
      access: [{ users: [PEOPLE.ana, PEOPLE.bob], role: "user" }],
      lifecycle: { drainSeconds: 1 },
    };
    const relay = stack.use(await KeptRelay.start(contractScript, config, host.env));
    const offer = ({ name, bytes }: ContractFile) => {
      const at = `/${offered.size}/${name}`;
      offered.set(at, bytes);
      return `https://files.example${at}`;
    };
    return new PoeApp(relay, platform, offer, stack.move());
  }

  private constructor(
    relay: KeptRelay,
    platform: FakePoe,
    offer: (file: ContractFile) => string,
    owned: AsyncDisposableStack,
  ) {
    super(relay);
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

  override async restart(): Promise<void> {
    await super.restart();
    for (const chat of this.#chats) await chat.askAgain();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
