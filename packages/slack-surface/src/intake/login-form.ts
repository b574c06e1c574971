import { renderButton } from "../blocks/button.ts";
import type { SlackBlock } from "../blocks/render-question.ts";

const LOGIN_ACTION = "login-open";
const INPUT = "login-input";

/** Marks the submission of {@link renderLoginModal}; its `private_metadata` is the conversation. */
export const LOGIN_CALLBACK = "login";

/** Opens the form for what a login waits for, so that nobody has to write it into a channel. */
export function renderLoginButton(conversation: string): SlackBlock {
  return renderButton(LOGIN_ACTION, "Enter the address", conversation);
}

/** The conversation that a pressed button names; undefined for another button. */
export function parseLoginClick(actionId: string, value: string): string | undefined {
  return actionId === LOGIN_ACTION ? value : undefined;
}

/** @param metadata - Where the answer goes; comes back with the submission. */
export function renderLoginModal(metadata: string): Readonly<Record<string, unknown>> {
  return {
    type: "modal",
    callback_id: LOGIN_CALLBACK,
    private_metadata: metadata,
    title: { type: "plain_text", text: "Log in" },
    submit: { type: "plain_text", text: "Log in" },
    close: { type: "plain_text", text: "Cancel" },
    blocks: [
      {
        type: "input",
        block_id: INPUT,
        label: {
          type: "plain_text",
          text: "The address of the page that you landed on, or its code",
        },
        element: { type: "plain_text_input", action_id: INPUT },
      },
    ],
  };
}

/** What somebody has entered; empty when nothing. */
export function parseLoginInput(values: unknown): string {
  const found = (values as { [INPUT]?: { [INPUT]?: { value?: unknown } } } | undefined)?.[INPUT];
  const value = found?.[INPUT]?.value;
  return typeof value === "string" ? value.trim() : "";
}

/** The answer to a submission that is not taken. */
export function errorInLogin(text: string): Readonly<Record<string, unknown>> {
  return { response_action: "errors", errors: { [INPUT]: text } };
}
