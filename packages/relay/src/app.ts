import type { SurfaceName } from "./config/bot-schema.ts";
import type { CreateDownloads } from "./files/create-files.ts";
import type { RelayTables } from "./relay-db.ts";
import type { RelaySurface, SurfaceContext } from "./surface.ts";

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
};
