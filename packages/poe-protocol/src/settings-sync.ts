import { type PoeAccount, pathSegment } from "./account.ts";
import { callPoe, collect, quote } from "./call.ts";
import { PoeProtocolError } from "./errors.ts";
import { createSettings, type SettingsOptions } from "./settings.ts";

/** What Poe said to new settings. */
export type SettingsEcho = {
  /**
   * Whether Poe kept the controls: it answers 200 too when it dropped them all. `unknown` where it
   * does not mention them.
   */
  controls: "kept" | "dropped" | "unknown";
  /** The beginning of its words, without the key, for a log. */
  text: string;
};

/** Newer than this, Poe reads `parameter_controls`; without a version it does not. */
const PROTOCOL_VERSION = "1.2";

/** Has Poe ask the bot's server, which must be running and public. */
export function refetchSettings(
  account: PoeAccount,
  signal: AbortSignal | undefined,
): Promise<SettingsEcho> {
  return sync(account, "fetch_settings", undefined, signal);
}

/** Hands the settings to Poe; the bot's server need not run. */
export function pushSettings(
  account: PoeAccount,
  settings: SettingsOptions,
  signal: AbortSignal | undefined,
): Promise<SettingsEcho> {
  return sync(account, "update_settings", createSettings(settings), signal);
}

async function sync(
  { accessKey, bot, apiUrl, timeouts }: PoeAccount,
  route: "fetch_settings" | "update_settings",
  settings: object | undefined,
  signal: AbortSignal | undefined,
): Promise<SettingsEcho> {
  if (bot === undefined) {
    throw new PoeProtocolError("Poe settings: the client was made without a bot", {
      code: "bad-call",
    });
  }
  const segments = [pathSegment(bot, "bot"), encodeURIComponent(accessKey), PROTOCOL_VERSION];
  const text = await callPoe(
    {
      what: "settings",
      url: new URL(`bot/${route}/${segments.join("/")}`, apiUrl),
      timeoutMs: timeouts.settingsMs,
      signal,
      secret: accessKey,
      ...(settings === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(settings) }),
    },
    collect,
  );
  return { controls: findControls(text), text: quote(text, accessKey) };
}

/** Poe echoes the settings in Python's spelling. */
function findControls(text: string): SettingsEcho["controls"] {
  const mention = /["']parameter_controls["']\s*:\s*(None|null)?/.exec(text);
  if (mention === null) return "unknown";
  return mention[1] === undefined ? "kept" : "dropped";
}
