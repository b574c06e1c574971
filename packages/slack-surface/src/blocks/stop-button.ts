import { renderButton } from "./button.ts";
import type { SlackBlock } from "./render-question.ts";

const STOP_ACTION = "turn-stop";

/** Ends the turn; where the platform has a Stop of its own there is none. @param turn - The router's name of it. */
export function renderStopButton(turn: string): SlackBlock {
  return renderButton(STOP_ACTION, "Stop", turn);
}

/** The turn that a pressed Stop names; undefined for another button. Whether there is such a turn is for the router to say. */
export function parseStopClick(actionId: string, value: string): string | undefined {
  return actionId === STOP_ACTION && /^[\w-]{1,100}$/.test(value) ? value : undefined;
}
