import { randomUUID } from "node:crypto";
import type { Choice, Router } from "@acp-kit/router";
import type { DoorActions } from "./door-app.ts";

export type DoorActionsOptions = {
  readonly router: Pick<Router, "openTurns" | "submit" | "sendFile">;
  readonly people: { mayChoose(choice: Choice): boolean };
  /** Name of the workspace of a conversation. */
  readonly projectOf: (conversation: string) => string;
  readonly now: () => number;
};

/** What the tools do. All of it happens in the conversation of the token, for the person whose turn runs there. */
export function createDoorActions(options: DoorActionsOptions): Required<DoorActions> {
  const { router, people, projectOf, now } = options;
  return {
    async attach({ conversation }, file) {
      const result = await router.sendFile(conversation, file);
      return result.kind === "sent"
        ? { text: `Attached ${result.name} to the chat.` }
        : { text: result.message, isError: true };
    },

    async status({ conversation, agent }) {
      const turns = await router.openTurns(conversation);
      const running = turns.find(({ started }) => started);
      const status = {
        agent,
        project: projectOf(conversation),
        turn: running ? "running" : "none",
        openQuestions: running?.asks.length ?? 0,
        waitingMessages: turns.filter(({ started }) => !started).length,
      };
      return { text: JSON.stringify(status) };
    },

    async set_model({ conversation, agent }, { model }) {
      const turns = await router.openTurns(conversation);
      const user = turns.find(({ started }) => started)?.who;
      if (user === undefined) {
        return {
          text: "Not changed: no turn is running that somebody has asked for.",
          isError: true,
        };
      }
      if (!people.mayChoose({ conversation, user, agent, setting: "model", value: model })) {
        return {
          text: `Not changed: ${model} is not open to the person who asked.`,
          isError: true,
        };
      }
      const key = `tool:${randomUUID()}`;
      await router.submit(conversation, {
        kind: "choose",
        key,
        user,
        settings: { model },
        at: now(),
      });
      return { text: `${model} is used from the next turn on.` };
    },
  };
}
