import { createHash } from "node:crypto";
import { createPoeClient, type SettingsResponse } from "@acp-kit/poe-protocol";
import type { Log, SurfaceNotes } from "@acp-kit/relay";
import type { PoeSurfaceBot } from "./poe-bot.ts";

export type SettingsNewsOptions = {
  readonly settingsOf: (bot: PoeSurfaceBot) => SettingsResponse;
  readonly notes: SurfaceNotes;
  readonly log: Log;
  /** Base of Poe's calls; default: Poe's own. */
  readonly apiUrl?: string | undefined;
};

/**
 * Has Poe fetch a bot's settings when they are others than those that it has: it asks by itself only when somebody edits
 * the bot there. What Poe has kept is remembered as a digest, beyond this process.
 */
export class SettingsNews implements AsyncDisposable {
  readonly #options: SettingsNewsOptions;
  readonly #closed = new AbortController();
  /** By bot; what changes while it runs is looked at behind it. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: SettingsNewsOptions) {
    this.#options = options;
  }

  /** Never rejects. Without the bot's name on Poe there is nothing to do. */
  tell(bot: PoeSurfaceBot): Promise<void> {
    const before = this.#running.get(bot.name) ?? Promise.resolve();
    const telling = before.then(() => this.#tell(bot));
    this.#running.set(bot.name, telling);
    return telling;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#running.values());
  }

  async #tell(bot: PoeSurfaceBot): Promise<void> {
    const { settingsOf, notes, log, apiUrl } = this.#options;
    const { handle, accessKeys } = bot.settings;
    const [accessKey] = accessKeys;
    if (handle === undefined || accessKey === undefined || this.#closed.signal.aborted) return;
    const name = `poe-settings ${bot.name}`;
    const digest = createHash("sha256")
      .update(JSON.stringify(settingsOf(bot)))
      .digest("hex");
    try {
      if (notes.read(name) === digest) return;
      const client = createPoeClient({ accessKey, bot: handle, ...(apiUrl && { apiUrl }) });
      const { controls, text } = await client.refetchSettings(this.#closed.signal);
      if (controls === "dropped") {
        log.warn({ bot: bot.name, text }, "Poe shows none of the bot's options");
        return;
      }
      notes.write(name, digest);
      log.info({ bot: bot.name }, "Poe has fetched the bot's settings");
    } catch (err) {
      if (this.#closed.signal.aborted) return;
      log.warn({ bot: bot.name, err }, "Poe could not be told of the bot's settings");
    }
  }
}
