import {
  type ContractChat,
  type ContractFile,
  type ContractPerson,
  type FakeSlack,
  type LiveButton,
  waitFor,
} from "@acp-kit/testkit";
import { SOON_MS } from "../kept-relay.ts";

export const PEOPLE: Readonly<Record<ContractPerson, string>> = {
  ana: "U0ANA",
  bob: "U0BOB",
  eve: "U0EVE",
};

const LABELS = { yes: /\b(?:yes|once)\b/i, no: /\bno\b/i };

/** A thread in a channel of its own: each message in it mentions the app. */
export class SlackChat implements ContractChat {
  readonly #slack: FakeSlack;
  readonly #channel: string;
  #thread: string | undefined;
  /** Of the question that was seen last. */
  #buttons: readonly LiveButton[] = [];

  constructor(slack: FakeSlack, channel: string) {
    this.#slack = slack;
    this.#channel = channel;
  }

  async say(person: ContractPerson, text: string, file?: ContractFile): Promise<void> {
    const thread = this.#thread;
    const ts = this.#person(person).say(this.#channel, `<@${this.#slack.app.bot}> ${text}`, {
      ...(thread !== undefined && { thread }),
      ...(file && { files: [file] }),
    });
    this.#thread ??= ts;
  }

  see(person: ContractPerson): string {
    const buttons = this.#person(person)
      .buttons(this.#channel)
      .filter(({ text }) => LABELS.yes.test(text) || LABELS.no.test(text));
    if (buttons.length > 0) this.#buttons = buttons;
    return this.#person(person)
      .messages(this.#channel)
      .filter(({ user }) => user === this.#slack.app.bot)
      .map(({ text }) => text)
      .join("\n\n");
  }

  async answer(person: ContractPerson, answer: "yes" | "no"): Promise<void> {
    const button = this.#buttons.find(({ text }) => LABELS[answer].test(text));
    if (!button) throw new Error(`no button has said ${answer}`);
    await this.#person(person).click(this.#channel, button);
  }

  async stop(person: ContractPerson): Promise<void> {
    const thread = this.#thread ?? "";
    const canStop = () => this.#person(person).canStop(this.#channel, thread);
    await waitFor("Stop to be there", canStop, SOON_MS);
    this.#person(person).stop(this.#channel, thread);
  }

  async files(): Promise<readonly ContractFile[]> {
    return this.#slack
      .messages(this.#channel)
      .filter(({ isFromApp }) => isFromApp)
      .flatMap(({ files }) => files);
  }

  #person(person: ContractPerson) {
    return this.#slack.person(PEOPLE[person]);
  }
}
