import type { SlackBotConfig } from "./bot-schema.ts";
import type { Path } from "./document.ts";
import type { Config } from "./schema.ts";

/** A setting that may hold a secret, and the way to put its value in place. */
export type SecretSlot = {
  readonly path: Path;
  readonly text: string;
  /** Its text must not be seen even where it stands literally; false for ordinary variables of an agent. */
  readonly confidential: boolean;
  readonly fill: (value: string) => void;
};

/** Names of environment variables that usually hold a secret. */
const CONFIDENTIAL_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/** Every setting of `config` in which references are replaced, in the order of the file. `fill` changes `config`. */
export function findSecretSlots(config: Config): readonly SecretSlot[] {
  const slots: SecretSlot[] = [];
  for (const [name, bot] of Object.entries(config.bots)) {
    const at = ["bots", name];
    if (bot.surface === "slack") {
      slots.push(...slackSlots(at, bot));
      continue;
    }
    for (const [index, text] of bot.accessKeys.entries()) {
      const path = [...at, "accessKeys", index];
      const fill = (value: string) => bot.accessKeys.splice(index, 1, value);
      slots.push({ path, text, confidential: true, fill });
    }
  }
  for (const [name, agent] of Object.entries(config.agents)) {
    for (const [variable, text] of Object.entries(agent.env)) {
      slots.push({
        path: ["agents", name, "env", variable],
        text,
        confidential: CONFIDENTIAL_NAME.test(variable),
        fill: (value) => {
          agent.env[variable] = value;
        },
      });
    }
  }
  if (config.proxy !== undefined) {
    slots.push({
      path: ["proxy"],
      text: config.proxy,
      // It may hold a password.
      confidential: URL.parse(config.proxy)?.password !== "",
      fill: (value) => {
        config.proxy = value;
      },
    });
  }
  const listener = config.private;
  if (listener?.token !== undefined) {
    slots.push({
      path: ["private", "token"],
      text: listener.token,
      confidential: true,
      fill: (value) => {
        listener.token = value;
      },
    });
  }
  const { notices } = config;
  if (notices.webhook !== undefined) {
    slots.push({
      path: ["notices", "webhook"],
      text: notices.webhook,
      confidential: true,
      fill: (value) => {
        notices.webhook = value;
      },
    });
  }
  return slots;
}

function slackSlots(at: Path, bot: SlackBotConfig): readonly SecretSlot[] {
  return (["botToken", "appToken", "signingSecret"] as const).flatMap((key) => {
    const text = bot[key];
    const fill = (value: string) => {
      bot[key] = value;
    };
    return text === undefined ? [] : [{ path: [...at, key], text, confidential: true, fill }];
  });
}
