import { type BotConfig, ConfigError, type Named } from "@acp-kit/relay";
import { featuresOf } from "./features-of.ts";
import { renderManifest } from "./render-manifest.ts";

/** Of the app of a bot that has no name of its own. */
const NAME = "Coding Agent";
const DESCRIPTION = "Talk to a coding agent";

/**
 * What Slack makes the app of a bot of the configuration from, as JSON.
 *
 * @param options - `bot`: which one, if there are several. `name`: what the app is called, else the bot's name. `http`: the
 * relay's address, for an app that sends its events there.
 * @throws ConfigError
 */
export function formatManifest(
  bots: Named<BotConfig>,
  { bot: wanted, name: title, http }: Readonly<Partial<Record<string, string>>>,
): string {
  const names = bots.map(([name]) => name);
  const [name, bot] =
    bots.find(([name]) => (wanted === undefined ? names.length === 1 : name === wanted)) ?? [];
  if (name === undefined || bot?.surface !== "slack") {
    throw new ConfigError([`--bot: must name one of ${names.join(", ")}`]);
  }
  const isHttp = bot.appToken === undefined && bot.signingSecret !== undefined;
  if (isHttp && http === undefined) {
    throw new ConfigError([
      `bot "${name}" is sent events over HTTP; give the relay's address with --http`,
    ]);
  }
  const manifest = renderManifest({
    name: title ?? (name === "slack" ? NAME : name),
    description: DESCRIPTION,
    features: featuresOf(bot),
    ...(http !== undefined && { requestUrl: requestUrlOf(http, bot.path) }),
    ...(bot.slashCommand !== undefined && { command: bot.slashCommand }),
  });
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** An address without a path gets the bot's. Slack sends to TLS only. */
function requestUrlOf(http: string, path: string): string {
  const url = URL.parse(http);
  if (url?.protocol !== "https:") {
    throw new ConfigError(['--http: must be a URL that begins with "https://"']);
  }
  return new URL(url.pathname === "/" ? path : url.pathname, url.origin).href;
}
