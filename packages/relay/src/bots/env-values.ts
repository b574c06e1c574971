import type { SurfaceName } from "../config/bot-schema.ts";

/** What the environment may give to a bot that has none of its own; with `_FILE` behind a name, by the path of a file. */
export const ENV_NAMES = {
  poe: ["POE_ACCESS_KEY"],
  slack: ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_API_URL"],
} as const satisfies Readonly<Record<SurfaceName, readonly string[]>>;

export type EnvName = (typeof ENV_NAMES)[SurfaceName][number];

/** A value that stands outside of the configuration. */
export type EnvValue = {
  readonly value: string;
  /** The variable that gave it, for errors. */
  readonly setting: string;
  readonly source: "environment" | "file" | "demo";
};

export type EnvValues = Readonly<Partial<Record<EnvName, EnvValue>>>;

/** Names that hold no secret. */
export const PLAIN_ENV_NAMES: readonly EnvName[] = ["SLACK_API_URL"];
