import { parseConversationKey } from "@acp-kit/relay";
import { z } from "zod";
import { judgeSomebody } from "./judge-person.ts";
import { errorInLogin, parseLoginInput } from "./login-form.ts";
import type { MessagesParts } from "./messages.ts";
import type { SlackInteraction } from "./parse-interaction.ts";
import type { Verdict } from "./verdict.ts";
import { words } from "./words.ts";

type Submission = Extract<SlackInteraction, { kind: "submission" }>;

const placeSchema = z.object({
  conversation: z.string(),
  channel: z.string(),
  thread: z.string().optional(),
});

/** What somebody has entered for a login: it goes to the agent's login alone, and is kept nowhere. */
export class Logins {
  readonly #parts: MessagesParts;

  constructor(parts: MessagesParts) {
    this.#parts = parts;
  }

  async submit(
    { metadata, user, userTeam, values }: Submission,
    ack: (answer?: Readonly<Record<string, unknown>>) => void,
  ): Promise<Verdict> {
    const { workspace, background, teller } = this.#parts;
    const { context, bot } = workspace;
    const place = parsePlace(metadata);
    if (!place || parseConversationKey(place.conversation).bot !== bot.name) {
      ack(errorInLogin(words.over));
      return { user, decision: "drop", reason: "malformed" };
    }
    const { conversation, channel, thread } = place;
    const about = { conversation, user };
    const judged = await judgeSomebody(workspace, { user, team: userTeam }, channel);
    if (judged.kind !== "admitted") {
      ack(errorInLogin(words.notAllowed));
      return { ...about, decision: "refuse", reason: "not-allowed" };
    }
    const command = context.commands.recognise({
      ...{ conversation, bot: bot.name, user, role: judged.role, key: "", query: [] },
      ...{ text: parseLoginInput(values), at: context.now() },
    });
    if (!command?.isSecret) {
      ack(errorInLogin(words.notLogin));
      return { ...about, decision: "refuse", reason: "not-login" };
    }
    ack();
    const told = command.run().then(async (outcome) => {
      if (outcome.kind !== "reply") return;
      await teller.privately(user, { channel, thread }, "command", outcome.text);
    });
    background.add(command.name, told);
    return { ...about, decision: "command", reason: command.name };
  }
}

function parsePlace(metadata: string): z.output<typeof placeSchema> | undefined {
  try {
    return placeSchema.safeParse(JSON.parse(metadata)).data;
  } catch {
    return undefined;
  }
}
