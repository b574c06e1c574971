import { type FileHandle, open } from "node:fs/promises";
import type { z } from "zod";
import { ConfigError } from "../errors.ts";
import { findConfigProblems, type Problem } from "./config-problems.ts";
import { type Document, type Path, parseDocument } from "./document.ts";
import { type Config, configSchema } from "./schema.ts";
import { type Env, resolveSecret, SecretProblem } from "./secret.ts";
import { findSecretSlots } from "./secret-slots.ts";

/** A configuration whose references have been replaced by the secrets that they stand for. */
export type LoadedConfig = {
  readonly config: Config;
  /** Every secret value, for the log to leave out. */
  readonly secrets: readonly string[];
  /** Paths of the settings whose secret came from the environment. */
  readonly fromEnvironment: readonly string[];
};

/** A configuration of 1 MiB is a wrong file. */
const MAX_BYTES = 1_048_576;

/**
 * Reads a configuration: JSON with comments.
 *
 * @throws ConfigError with every problem that was found, each one line: where, what, and the cure. A file with a literal
 * secret that others may read is one.
 */
export async function readConfig(file: string, env: Env): Promise<LoadedConfig> {
  const { config, document, mode } = await readDocument(file);
  const { problems, ...loaded } = await resolveReferences(config, mode, env);
  problems.push(...findConfigProblems(loaded.config));
  if (problems.length > 0) throw new ConfigError(describeProblems(file, document, problems));
  return loaded;
}

/**
 * The state directory that a configuration names, for commands that need nothing else of it and none of its secrets.
 *
 * @throws ConfigError
 */
export async function readStateDirSetting(file: string): Promise<string | undefined> {
  return (await readDocument(file)).config.stateDir;
}

/**
 * The bots that a configuration names, with references in the place of their secrets.
 *
 * @throws ConfigError
 */
export async function readBotsSetting(file: string): Promise<Config["bots"]> {
  return (await readDocument(file)).config.bots;
}

async function readDocument(file: string) {
  const { text, mode } = await readText(file);
  const document = parseDocument(text);
  if ("problem" in document)
    throw new ConfigError([`${file}:${document.line}: ${document.problem}`]);
  const parsed = configSchema.safeParse(document.value);
  if (!parsed.success) throw new ConfigError(describeIssues(file, document, parsed.error.issues));
  return { config: parsed.data, document, mode };
}

/** Replaces references in place and collects what is wrong with them. */
async function resolveReferences(config: Config, mode: number, env: Env) {
  const problems: Problem[] = [];
  const secrets: string[] = [];
  const fromEnvironment: string[] = [];
  for (const { path, text, confidential, fill } of findSecretSlots(config)) {
    try {
      const { value, source, parts } = await resolveSecret(text, env);
      fill(value);
      if (confidential || source !== "literal") secrets.push(value, ...parts);
      if (source === "environment") fromEnvironment.push(formatPath(path));
      if (source === "literal" && confidential && (mode & 0o077) !== 0) {
        const what =
          "a secret stands here and others can read this file; chmod 600 it, or move the secret to a file or variable of its own and refer to that";
        problems.push({ path, what });
      }
    } catch (error) {
      if (!(error instanceof SecretProblem)) throw error;
      problems.push({ path, what: error.message });
    }
  }
  return { config, secrets, fromEnvironment, problems };
}

async function readText(file: string): Promise<{ text: string; mode: number }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const { mode, size } = await handle.stat();
    if (size > MAX_BYTES) throw new ConfigError([`${file}: too large to be a configuration`]);
    if ((mode & 0o002) !== 0) {
      throw new ConfigError([
        `${file}: everybody can write this file and name a program to run; chmod o-w it`,
      ]);
    }
    return { text: await handle.readFile("utf8"), mode };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
    const cure = cures[code] ?? "check the path given with --config";
    throw new ConfigError([`cannot read ${file} (${code}); ${cure}`], { cause: error });
  } finally {
    await handle?.close();
  }
}

const cures: Partial<Record<string, string>> = {
  ENOENT: "create it, or give another path with --config",
  EACCES: "make it readable for the user that runs the relay",
  EISDIR: "give the path of the file in it with --config",
};

type Lines = [string, ...string[]];

function describeIssues(
  file: string,
  document: Document,
  issues: readonly z.core.$ZodIssue[],
): Lines {
  return describeProblems(
    file,
    document,
    issues.flatMap((issue): Problem[] => {
      if (issue.code !== "unrecognized_keys") return [{ path: issue.path, what: issue.message }];
      const lines = issue.message.split("\n");
      return issue.keys.map((key, index) => ({
        path: [...issue.path, key],
        what: lines[index] ?? "unknown key",
      }));
    }),
  );
}

function describeProblems(file: string, document: Document, problems: readonly Problem[]): Lines {
  const [first, ...rest] = problems
    .map(({ path, what }) => ({ path, what, line: document.lineOf(path) }))
    .sort((a, b) => a.line - b.line)
    .map(({ path, what, line }) => {
      const where = path.length === 0 ? "" : `${formatPath(path)}: `;
      return `${file}:${line}: ${where}${what}`;
    });
  return [first ?? `${file}: this is no configuration`, ...rest];
}

/** `bots.shop.accessKeys[0]`. */
function formatPath(path: Path): string {
  return path
    .map((key, index) =>
      typeof key === "number" ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join("");
}
