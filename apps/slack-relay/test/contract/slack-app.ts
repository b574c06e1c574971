import { type ContractPerson, ContractProcess, contractScript } from "@acp-kit/testkit";
import { KeptRelay } from "../kept-relay.ts";
import { PEOPLE, SlackChat } from "./slack-chat.ts";

const TEAM = "T0ACME";
const BOT = "U0BOT";
const people = Object.values(PEOPLE);
/** One for each conversation: Slack lets nobody post more than about once a second in one. */
const channels = Array.from({ length: 40 }, (_, at) => `C0CHAT${at}`);

/** slack-relay with Slack around it. */
export class SlackApp extends ContractProcess {
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
    super(relay);
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

  get secrets(): readonly string[] {
    const { botToken, appToken } = this.#relay.slack.app;
    return [botToken, appToken];
  }
}
