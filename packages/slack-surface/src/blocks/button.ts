import type { SlackBlock } from "./render-question.ts";

/**
 * A row with one button.
 *
 * @param action - What its presses are told from others by.
 * @param value - Comes back with them.
 */
export function renderButton(action: string, text: string, value: string): SlackBlock {
  const button = { type: "button", action_id: action, text: { type: "plain_text", text }, value };
  return { type: "actions", elements: [button] };
}
