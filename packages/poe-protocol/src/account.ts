import { PoeProtocolError } from "./errors.ts";

export type PoeClientOptions = {
  /** The bot's access key; for uploads alone, a person's API key serves too. */
  accessKey: string;
  /** The bot's name on Poe; only settings need it. */
  bot?: string;
  /** Default {@link POE_TIMEOUTS}, each for a whole call. */
  timeouts?: Partial<PoeTimeouts>;
  /** [https://api.poe.com/] */
  apiUrl?: string;
  /** [https://www.quora.com/poe_api/] */
  uploadUrl?: string;
};

export type PoeTimeouts = { uploadMs: number; settingsMs: number; costMs: number };

/**
 * How long a call may take, answer included. 120 s and 300 s are those of Poe's own Python library;
 * for settings, which may make Poe ask the bot first, it has none that fits, and 30 s are ours.
 */
export const POE_TIMEOUTS: PoeTimeouts = Object.freeze({
  uploadMs: 120_000,
  settingsMs: 30_000,
  costMs: 300_000,
});

/** What a call needs to know; never handed out, since it holds the key. */
export type PoeAccount = Required<Omit<PoeClientOptions, "bot" | "timeouts">> & {
  bot: string | undefined;
  timeouts: PoeTimeouts;
};

/**
 * One segment of a URL's path: a name from elsewhere never leads to another one.
 *
 * @throws PoeProtocolError `bad-call`
 */
export function pathSegment(text: string, what: string): string {
  if (/^\.{0,2}$/.test(text) || !text.isWellFormed()) {
    throw new PoeProtocolError(`Poe client: ${JSON.stringify(text)} is no ${what}`, {
      code: "bad-call",
    });
  }
  return encodeURIComponent(text);
}
