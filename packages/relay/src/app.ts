import type { Named } from "./bots/bot.ts";
import type { BotConfig, SurfaceName } from "./config/bot-schema.ts";
import type { CreateDownloads } from "./files/create-files.ts";
import type { RelayTables } from "./relay-db.ts";
import type { RelaySurface, SurfaceBot, SurfaceContext } from "./surface.ts";

/** What looking at a bot has shown, as one sentence. `problem`: it does not work so. */
export type Finding = { readonly kind: "fine" | "warning" | "problem"; readonly text: string };

/** A command that only one app has. */
export type AppCommand = {
  readonly name: string;
  readonly description: string;
  /** Beside `--config`. Each takes a value, under the name that commander makes of its flags. */
  readonly options: readonly (readonly [flags: string, description: string])[];
  /**
   * Gives what is printed.
   *
   * @param bots - Of the app's surface as they are configured, references in the place of secrets.
   * @throws RelayError
   */
  readonly run: (
    bots: Named<BotConfig>,
    options: Readonly<Partial<Record<string, string>>>,
  ) => string | Promise<string>;
};

/** What an app tells the relay about itself. */
export type RelayApp = {
  /** Its command, `poe-relay`; also the name of its directory of state. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Which bots of the configuration it serves. */
  readonly surfaceName: SurfaceName;
  /** The agent of a relay without configuration, as program and arguments. */
  readonly demoAgent: readonly string[];
  /** Called in processes that serve. Import in it what it needs: one process of a relay only watches over the others. */
  readonly createSurface: (context: SurfaceContext) => RelaySurface | Promise<RelaySurface>;
  /** For a platform that gives its files to nobody but a bot with its token. Called for a bot's first file. */
  readonly createDownloads?: CreateDownloads;
  /** The surface's own tables in the relay's database, for `SurfaceContext.db`. Called where that is opened; see above. */
  readonly loadTables?: () => Promise<readonly RelayTables[]>;
  /** Asks the platform about a bot, for `check`. */
  readonly checkBot?: (bot: SurfaceBot) => Promise<readonly Finding[]>;
  readonly commands?: readonly AppCommand[];
};
