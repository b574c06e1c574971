import type { AccessKey } from "../choose-bots.ts";
import { type Env, readSecretFile, SecretProblem } from "../config/secret.ts";
import { ConfigError } from "../errors.ts";

/**
 * The access key that stands in the variable `name`, or in the file whose path stands in `<name>_FILE`.
 *
 * A variable that is set and empty is a wrong key, not an absent one: it must not turn a relay into the demo.
 *
 * @throws ConfigError when both are set, or the file cannot be read.
 */
export async function readEnvKey(name: string, env: Env): Promise<AccessKey | undefined> {
  const value = env[name];
  const file = env[`${name}_FILE`];
  if (value !== undefined && file !== undefined) {
    throw new ConfigError([`${name} and ${name}_FILE are both set; unset one of them`]);
  }
  if (value !== undefined) return { value, setting: name, source: "environment" };
  if (file === undefined) return undefined;
  try {
    return { value: await readSecretFile(file), setting: `${name}_FILE`, source: "file" };
  } catch (error) {
    if (!(error instanceof SecretProblem)) throw error;
    throw new ConfigError([`${name}_FILE: ${error.message}`], { cause: error });
  }
}
