import {
  type ContractChat,
  type ContractFile,
  type ContractPerson,
  createPoeId,
  type FakePoe,
  type PoeDriver,
  type PoeQuery,
  waitFor,
} from "@acp-kit/testkit";
import { SOON_MS } from "../kept-relay.ts";

export const PEOPLE: Readonly<Record<ContractPerson, string>> = {
  ana: "u-00000000000000000000000000000ana",
  bob: "u-00000000000000000000000000000bob",
  eve: "u-00000000000000000000000000000eve",
};

/** Number of an option of a question, as it stands in `1` once · `2` no. */
const OPTIONS = { yes: /`(\d)` [^·\n]*\b(?:yes|once)\b/gi, no: /`(\d)` [^·\n]*\bno\b/gi };

type Exchange = { query: PoeQuery; readonly send: () => PoeQuery };

/** A conversation on Poe: each message gets a response, which is asked for again where it broke. */
export class PoeChat implements ContractChat {
  readonly #poe: PoeDriver;
  readonly #platform: FakePoe;
  readonly #offer: (file: ContractFile) => string;
  readonly #conversation = createPoeId("c");
  readonly #exchanges: Exchange[] = [];

  /** @param offer - Puts a file where the relay fetches it, and gives its URL. */
  constructor(poe: PoeDriver, platform: FakePoe, offer: (file: ContractFile) => string) {
    this.#poe = poe;
    this.#platform = platform;
    this.#offer = offer;
  }

  async say(person: ContractPerson, text: string, file?: ContractFile): Promise<void> {
    const ids = {
      conversation: this.#conversation,
      messageId: createPoeId("m"),
      userId: PEOPLE[person],
    };
    const attachments = file && [
      { url: this.#offer(file), content_type: "application/octet-stream", name: file.name },
    ];
    const message = { role: "user", content: text, message_id: ids.messageId };
    const send = () =>
      this.#poe.query({ ...ids, messages: [{ ...message, ...(attachments && { attachments }) }] });
    const query = send();
    this.#exchanges.push({ query, send });
    await waitFor("the response to begin", () => query.firstByteMs !== undefined, SOON_MS);
  }

  /** Poe shows everybody the same. */
  see(): string {
    return this.#exchanges.map(({ query }) => query.body()).join("\n\n");
  }

  /** A number that was not shown is a word in its place: who may not answer cannot know it. */
  async answer(person: ContractPerson, answer: "yes" | "no"): Promise<void> {
    const number = [...this.see().matchAll(OPTIONS[answer])].at(-1)?.[1];
    await this.say(person, number ?? answer);
  }

  async stop(): Promise<void> {
    await this.#exchanges.at(-1)?.query.close();
  }

  /** Poe names a conversation in no upload: those of the others are told apart by their names. */
  async files(): Promise<readonly ContractFile[]> {
    return this.#platform.uploads.map(({ name = "", bytes = Buffer.of() }) => ({ name, bytes }));
  }

  /** Asks again for what broke off, as Poe does. */
  async askAgain(): Promise<void> {
    for (const exchange of this.#exchanges) {
      if ((await exchange.query.done).how === "cut") exchange.query = exchange.send();
    }
  }
}
