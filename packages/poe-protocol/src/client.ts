import { POE_TIMEOUTS, type PoeAccount, type PoeClientOptions } from "./account.ts";
import { type CostItem, requestCost } from "./cost.ts";
import { PoeProtocolError } from "./errors.ts";
import type { FileEvent } from "./events.ts";
import type { SettingsOptions } from "./settings.ts";
import { pushSettings, refetchSettings, type SettingsEcho } from "./settings-sync.ts";
import { type FileToUpload, uploadFile } from "./upload.ts";

/**
 * A bot's calls to Poe. Each is made once, and rejects with a `PoeProtocolError` (`bad-call`,
 * `unreachable`, `timeout`, `refused`, `bad-answer`) or with the reason of its signal.
 */
export type PoeClient = {
  /**
   * Uploads a file and returns what shows it: `answer.send({ event: "file", data })`. To show it
   * inside the text, give `data` an `inline_ref` and write `![title][ref]` after the event.
   *
   * At most 20 files per message, of at most 50 MB each.
   *
   * @see https://creator.poe.com/docs/sending-files-with-your-response
   */
  uploadFile(file: FileToUpload, signal?: AbortSignal): Promise<FileEvent["data"]>;
  /** Has Poe ask the bot for its settings: its server must be running, and public. */
  refetchSettings(signal?: AbortSignal): Promise<SettingsEcho>;
  /**
   * Gives the settings to Poe; the bot's server need not run.
   *
   * @throws PoeProtocolError `bad-settings`, as `createSettings`
   * @see https://creator.poe.com/docs/updating-bot-settings
   */
  pushSettings(settings: SettingsOptions, signal?: AbortSignal): Promise<SettingsEcho>;
  /**
   * Asks whether the person will pay up to this, before the work. Resolving means yes.
   *
   * @param botQueryId - `bot_query_id` of the query.
   * @throws PoeProtocolError `insufficient-fund`: they cannot or will not
   * @see https://creator.poe.com/docs/poe-bot-monetization-api-documentation
   */
  authorizeCost(
    botQueryId: string,
    items: CostItem | readonly CostItem[],
    signal?: AbortSignal,
  ): Promise<void>;
  /**
   * Charges the person, after the work. Resolving means paid; after `unreachable` and `timeout`
   * nobody knows.
   *
   * @throws PoeProtocolError `insufficient-fund`
   */
  captureCost(
    botQueryId: string,
    items: CostItem | readonly CostItem[],
    signal?: AbortSignal,
  ): Promise<void>;
};

/**
 * A bot's calls to Poe. The key stays inside: nothing that the client returns, throws or is holds it.
 *
 * @throws PoeProtocolError `bad-call` for a key or URL that cannot be one
 */
export function createPoeClient({
  accessKey,
  bot,
  timeouts,
  apiUrl = "https://api.poe.com/",
  uploadUrl = "https://www.quora.com/poe_api/",
}: PoeClientOptions): PoeClient {
  // Would stand in a header, and `fetch` repeats a bad one in its error.
  if (!/^[!-~]+$/.test(accessKey)) {
    throw new PoeProtocolError("Poe client: the access key is not made of visible ASCII", {
      code: "bad-call",
    });
  }
  const account: PoeAccount = {
    accessKey,
    bot,
    timeouts: { ...POE_TIMEOUTS, ...timeouts },
    apiUrl: parseBase(apiUrl),
    uploadUrl: parseBase(uploadUrl),
  };
  return {
    uploadFile: (file, signal) => uploadFile(account, file, signal),
    refetchSettings: (signal) => refetchSettings(account, signal),
    pushSettings: async (settings, signal) => pushSettings(account, settings, signal),
    authorizeCost: (id, items, signal) => requestCost(account, "authorize", id, items, signal),
    captureCost: (id, items, signal) => requestCost(account, "capture", id, items, signal),
  };
}

/**
 * Checked here, where the URL does not hold the key yet: errors of `URL` repeat what they were given.
 * Without a slash at its end it would lose its last segment.
 */
function parseBase(url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "https:" && protocol !== "http:") {
    throw new PoeProtocolError(`Poe client: ${JSON.stringify(url)} is no http URL`, {
      code: "bad-call",
    });
  }
  return url.endsWith("/") ? url : `${url}/`;
}
