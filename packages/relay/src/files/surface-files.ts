import type { SurfaceName } from "../config/bot-schema.ts";

/** What a platform means for files. */
export type SurfaceFiles = {
  /** Hosts of the files that come with its messages; see `DownloadPolicy`. */
  readonly hosts: readonly string[];
  /** The word behind `<!--` by which a line of the agent's text sends a file there. */
  readonly directive: string;
  /** What one message there may hold, and how large a file may be, in bytes. */
  readonly maxFiles: number;
  readonly maxFileBytes: number;
};

export const SURFACE_FILES: Readonly<Record<SurfaceName, SurfaceFiles>> = {
  poe: {
    hosts: ["*.poecdn.net"],
    directive: "poe-attach",
    maxFiles: 20,
    maxFileBytes: 50 * 1024 * 1024,
  },
  slack: {
    hosts: ["*.slack.com"],
    directive: "slack-attach",
    // As many as people may send there with one message.
    maxFiles: 10,
    // https://slack.com/help/articles/201330736
    maxFileBytes: 1024 * 1024 * 1024,
  },
};
