import { renderButton } from "../blocks/button.ts";
import type { SlackBlock } from "../blocks/render-question.ts";

const ACTION = "message-run-again";

/** Asks the agent with a message as it is now. @param ts - Of the message, in the channel where the button is. */
export function renderRunAgainButton(ts: string): SlackBlock {
  return renderButton(ACTION, "Run again", ts);
}

/** The `ts` that a pressed button names; undefined for another button. */
export function parseRunAgainClick(actionId: string, value: string): string | undefined {
  return actionId === ACTION && /^\d{1,12}\.\d{1,8}$/.test(value) ? value : undefined;
}
