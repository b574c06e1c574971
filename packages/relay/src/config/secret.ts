import { readFile } from "node:fs/promises";

/** Environment variables, as the command line was given them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where a secret came from. What came from the environment stays readable there for every process of this user. */
export type SecretSource = "environment" | "file" | "literal";

export type Secret = {
  readonly value: string;
  readonly source: SecretSource;
  /** What each reference in it stands for: as secret as the whole. */
  readonly parts: readonly string[];
};

/** Why a reference gives no value; fit to stand behind the path of a setting. */
export class SecretProblem extends Error {
  override readonly name = "SecretProblem";
}

const REFERENCE = /\$\{([^}]*)\}/g;

/**
 * Replaces each `${NAME}` by that environment variable and each `${file:/path}` by that file's text, without line breaks
 * at its end. Text without a reference is taken as it is.
 *
 * @throws SecretProblem for a variable that is not set or empty, and for a file that cannot be read or is empty.
 */
export async function resolveSecret(text: string, env: Env): Promise<Secret> {
  let source: SecretSource = "literal";
  const parts: string[] = [];
  let value = "";
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const name = match[1] ?? "";
    const isFile = name.startsWith("file:");
    const part = isFile
      ? await readSecretFile(name.slice("file:".length))
      : readVariable(name, env);
    parts.push(part);
    value += text.slice(end, match.index) + part;
    end = match.index + match[0].length;
    if (source !== "environment") source = isFile ? "file" : "environment";
  }
  return { value: value + text.slice(end), source, parts };
}

/** A file that holds one secret and nothing else. @throws SecretProblem. */
export async function readSecretFile(path: string): Promise<string> {
  if (!path.startsWith("/")) {
    const what = path === "" ? "it names no file, and" : `the file "${path}"`;
    throw new SecretProblem(`${what} needs an absolute path, such as /run/secrets/key`);
  }
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    throw new SecretProblem(`cannot read ${path} (${code}); create it, readable for this user`, {
      cause: error,
    });
  }
  const value = text.replace(/[\r\n]+$/, "");
  if (value === "") throw new SecretProblem(`${path} is empty; it must hold the secret`);
  return value;
}

function readVariable(name: string, env: Env): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new SecretProblem(`"\${${name}}" names no variable; write \${NAME} or \${file:/path}`);
  }
  const value = env[name];
  if (value === undefined || value === "") {
    throw new SecretProblem(
      `the environment variable ${name} is not set; set it, or use \${file:/path}`,
    );
  }
  return value;
}
