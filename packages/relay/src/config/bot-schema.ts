import { THINKING_LEVELS } from "@acp-kit/router";
import { z } from "zod";
import { isLoopback } from "../is-loopback.ts";
import { absolutePath, flag, list, oneOf, secret, section, text } from "./schema-parts.ts";

/** Platform name of each surface that a bot can be on. */
export const SURFACES = ["poe", "slack"] as const;

export type SurfaceName = (typeof SURFACES)[number];

/** What an operator may leave out of a Slack app. Each costs scopes, which whoever installs the app has to grant. */
export const SLACK_CHOICES = [
  "channels",
  "private-channels",
  "group-messages",
  "direct-messages",
  "files-in",
  "files-out",
  "signs",
  "reactions",
  "first-messages",
  "catch-up",
] as const;

const defaults = section({
  model: text("the id of a model").exactOptional(),
  thinking: oneOf(THINKING_LEVELS).exactOptional(),
  hideThinking: flag.exactOptional(),
  showPlans: flag.exactOptional(),
  showTools: flag.exactOptional(),
  showToolDetails: flag.exactOptional(),
});

/** What a bot of any surface has. */
const common = {
  agent: text("the name of an agent").exactOptional(),
  workspace: text("the name of a workspace").exactOptional(),
  introduction: text("a text").max(2_000, "must have at most 2000 characters").exactOptional(),
  busyPolicy: oneOf(["queue", "interrupt", "steer"]).exactOptional(),
  systemPrompt: text("a text").max(50_000, "must have at most 50000 characters").exactOptional(),
  systemPromptFile: absolutePath.exactOptional(),
  authErrorHint: text("a text").max(2_000, "must have at most 2000 characters").exactOptional(),
  defaults: defaults.default({}),
};

function botPath(usual: string) {
  const what = `must be a path such as "${usual}"`;
  return z
    .string({ error: what })
    .regex(/^\/[A-Za-z0-9_.~/-]*$/, what)
    .refine(
      (path) => path !== "/healthz",
      `"/healthz" is taken; choose another, such as "${usual}"`,
    )
    .default(usual);
}

const poeBot = section({
  surface: z.literal("poe"),
  path: botPath("/poe"),
  accessKeys: list(secret, "keys").default([]),
  handle: text("the bot's name on Poe").exactOptional(),
  pinnedModels: list(text("the id of a model"), "ids of models").exactOptional(),
  ...common,
});

/** Tests and demos have a Slack of their own; anywhere else the tokens go over TLS only. */
export const API_URL =
  'must be the Web API of a Slack, such as "https://slack.com/api/": over https, or on this machine';

const COMMAND = 'must be a slash command such as "/agent"';

const slackBot = section({
  surface: z.literal("slack"),
  botToken: secret.exactOptional(),
  appToken: secret.exactOptional(),
  signingSecret: secret.exactOptional(),
  path: botPath("/slack/events"),
  apiUrl: z.string(API_URL).refine(isApiUrl, API_URL).exactOptional(),
  agentView: flag.default(true),
  filesToPartners: flag.exactOptional(),
  features: list(oneOf(SLACK_CHOICES), "features").default([...SLACK_CHOICES]),
  slashCommand: z
    .string(COMMAND)
    .regex(/^\/[a-z0-9_-]{1,31}$/, COMMAND)
    .exactOptional(),
  ...common,
});

export const botSchema = z.discriminatedUnion("surface", [poeBot, slackBot], {
  error: (issue) =>
    issue.code === "invalid_union"
      ? `must be one of ${SURFACES.map((name) => `"${name}"`).join(", ")}`
      : "must be an object",
});

/** A bot as the configuration has it: what the environment gives may be missing. */
export type BotConfig = z.output<typeof botSchema>;
export type PoeBotConfig = z.output<typeof poeBot>;
export type SlackBotConfig = z.output<typeof slackBot>;

/** Whether the tokens of a bot may be sent there. */
export function isApiUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
