import { ENV_NAMES, type EnvValue, type EnvValues } from "../bots/env-values.ts";
import type { SurfaceName } from "../config/bot-schema.ts";
import { type Env, readSecretFile, SecretProblem } from "../config/secret.ts";
import { ConfigError } from "../errors.ts";

/**
 * What the environment gives to a surface's bots.
 *
 * @throws ConfigError with all that is wrong.
 */
export async function readEnvValues(surface: SurfaceName, env: Env): Promise<EnvValues> {
  const problems: string[] = [];
  const values: [string, EnvValue][] = [];
  for (const name of ENV_NAMES[surface]) {
    try {
      const value = await readEnvValue(name, env);
      if (value !== undefined) values.push([name, value]);
    } catch (error) {
      if (!(error instanceof SecretProblem)) throw error;
      problems.push(error.message);
    }
  }
  const [first, ...others] = problems;
  if (first !== undefined) throw new ConfigError([first, ...others]);
  return Object.fromEntries(values);
}

/**
 * What stands in the variable `name`, or in the file whose path stands in `<name>_FILE`.
 *
 * A variable that is set and empty is a wrong value, not an absent one: it must not turn a relay into the demo.
 *
 * @throws SecretProblem when both are set, or the file cannot be read.
 */
async function readEnvValue(name: string, env: Env): Promise<EnvValue | undefined> {
  const value = env[name];
  const file = env[`${name}_FILE`];
  if (value !== undefined && file !== undefined) {
    throw new SecretProblem(`${name} and ${name}_FILE are both set; unset one of them`);
  }
  if (value !== undefined) return { value, setting: name, source: "environment" };
  if (file === undefined) return undefined;
  try {
    return { value: await readSecretFile(file), setting: `${name}_FILE`, source: "file" };
  } catch (error) {
    if (!(error instanceof SecretProblem)) throw error;
    throw new SecretProblem(`${name}_FILE: ${error.message}`, { cause: error });
  }
}
