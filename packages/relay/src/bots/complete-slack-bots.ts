import { API_URL, isApiUrl, type SlackBotConfig } from "../config/bot-schema.ts";
import type { Named, SlackBot, SlackTransport } from "./bot.ts";
import type { EnvName, EnvValue, EnvValues } from "./env-values.ts";
import { giveToOne } from "./give-to-one.ts";
import { findSlackSecretProblem, type SlackSecret } from "./slack-secret.ts";

const envNames = {
  botToken: "SLACK_BOT_TOKEN",
  appToken: "SLACK_APP_TOKEN",
  signingSecret: "SLACK_SIGNING_SECRET",
} as const satisfies Readonly<Record<SlackSecret, EnvName>>;

/**
 * Gives each secret of the environment to the bot without it, and the address of the Web API to all that name none. A
 * bot with an app token uses Socket Mode, also if it has a signing secret. Pure.
 *
 * @param problems - What is missing or wrong is added to it.
 * @throws ConfigError
 */
export function completeSlackBots(
  bots: Named<SlackBotConfig>,
  env: EnvValues,
  problems: string[],
): Named<SlackBot> {
  const without = (isWithout: (bot: SlackBotConfig) => boolean) =>
    bots.filter(([, bot]) => isWithout(bot)).map(([name]) => name);
  const mute = without((bot) => bot.appToken === undefined && bot.signingSecret === undefined);
  const takers: Readonly<Record<SlackSecret, string | undefined>> = {
    botToken: giveToOne(
      env.SLACK_BOT_TOKEN,
      without((bot) => bot.botToken === undefined),
      ["bot token", "botToken"],
    ),
    appToken: giveToOne(env.SLACK_APP_TOKEN, mute, ["app token", "appToken"]),
    signingSecret: giveToOne(env.SLACK_SIGNING_SECRET, mute, ["signing secret", "signingSecret"]),
  };
  return bots.map(([name, config]) => {
    const { botToken: _, appToken: __, signingSecret: ___, path, apiUrl: ____, ...common } = config;
    const read = (secret: SlackSecret): string | undefined => {
      const own = config[secret];
      const found =
        own === undefined
          ? takers[secret] === name && env[envNames[secret]]
          : { value: own, setting: `bots.${name}.${secret}` };
      if (!found) return undefined;
      const problem = findSlackSecretProblem(secret, found.value);
      if (problem !== undefined) problems.push(`${found.setting}: ${problem}`);
      return found.value;
    };
    const botToken = read("botToken");
    if (botToken === undefined) {
      problems.push(
        `bot "${name}" has no bot token; set SLACK_BOT_TOKEN, SLACK_BOT_TOKEN_FILE, or bots.${name}.botToken in the configuration`,
      );
    }
    const transport = transportOf(read("appToken"), read("signingSecret"), path);
    if (transport === undefined) {
      problems.push(
        `bot "${name}" has no app token; set SLACK_APP_TOKEN, SLACK_APP_TOKEN_FILE, or bots.${name}.appToken in the configuration; or a signing secret in the same way, to be sent events over HTTP`,
      );
    }
    const apiUrl = readApiUrl(config.apiUrl, env.SLACK_API_URL, problems);
    return [
      name,
      {
        ...common,
        botToken: botToken ?? "",
        transport: transport ?? { kind: "socket", appToken: "" },
        ...(apiUrl !== undefined && { apiUrl }),
      },
    ];
  });
}

function transportOf(
  appToken: string | undefined,
  signingSecret: string | undefined,
  path: string,
): SlackTransport | undefined {
  if (appToken !== undefined) return { kind: "socket", appToken };
  return signingSecret === undefined ? undefined : { kind: "http", signingSecret, path };
}

/** With a slash at its end, as Slack's client wants it. */
function readApiUrl(
  own: string | undefined,
  given: EnvValue | undefined,
  problems: string[],
): string | undefined {
  const url = own ?? given?.value;
  if (url === undefined) return undefined;
  if (own === undefined && !isApiUrl(url)) problems.push(`${given?.setting}: ${API_URL}`);
  return url.endsWith("/") ? url : `${url}/`;
}
