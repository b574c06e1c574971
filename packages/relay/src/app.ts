import type { CreateDownloads } from "./files/create-files.ts";
import type { RelaySurface, SurfaceContext } from "./surface.ts";

/** What an app tells the relay about itself. */
export type RelayApp = {
  /** Its command, `poe-relay`; also the name of its directory of state. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Which bots of the configuration it serves. */
  readonly surfaceName: "poe";
  /** The agent of a relay without configuration, as program and arguments. */
  readonly demoAgent: readonly string[];
  /** The variable that holds the access key of a bot without one; with `_FILE` behind it, of the file that holds it. */
  readonly keyEnv: string;
  /** Called in processes that serve. Import in it what it needs: one process of a relay only watches over the others. */
  readonly createSurface: (context: SurfaceContext) => RelaySurface | Promise<RelaySurface>;
  /** For a platform that gives its files to nobody but a bot with its token. Called for a bot's first file. */
  readonly createDownloads?: CreateDownloads;
};
