import { randomInt } from "node:crypto";
import { realpath } from "node:fs/promises";
import type { RelayApp } from "../app.ts";
import { ACCESS_KEY_LENGTH } from "../bots/access-key.ts";
import { readConfig } from "../config/read-config.ts";
import type { Env } from "../config/secret.ts";
import { createSettings, type Settings, type StartFlags } from "../settings.ts";
import { readEnvValues } from "./env-values.ts";

/** What `start` was asked for. */
export type StartRequest = {
  /** The configuration's file. */
  readonly config: string | undefined;
  readonly flags: StartFlags;
};

/**
 * Reads the configuration and what the environment gives to bots, and puts them together with the flags.
 *
 * @param demoKey - The access key of the demo.
 * @throws ConfigError
 */
export async function readSettings(
  app: RelayApp,
  { config: file, flags }: StartRequest,
  env: Env,
  demoKey: string,
): Promise<Settings> {
  const loaded =
    file === undefined
      ? undefined
      : { ...(await readConfig(file, env)), file: await realpath(file) };
  const given = await readEnvValues(app.surfaceName, env);
  const settings = createSettings({ app, flags, loaded, env: given, createKey: () => demoKey });
  return { ...settings, secrets: [...settings.secrets, ...passedValues(settings, env)] };
}

/** What agents are passed of this environment by name: it is passed because it is nobody else's. */
function passedValues({ agents }: Pick<Settings, "agents">, env: Env): string[] {
  return Object.values(agents)
    .flatMap(({ envPass }) => envPass)
    .map((name) => env[name] ?? "");
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A random access key. */
export function createKey(): string {
  return Array.from({ length: ACCESS_KEY_LENGTH }, () =>
    ALPHABET.charAt(randomInt(ALPHABET.length)),
  ).join("");
}
