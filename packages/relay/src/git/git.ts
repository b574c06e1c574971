import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { PathMap } from "@acp-kit/acp-wire";
import type { AgentIdentity } from "../agent-identity.ts";
import { RelayError } from "../errors.ts";
import { formatDriverSettings, formatHarmlessEnv, MAX_DRIVER_SETTINGS } from "./harmless-env.ts";
import { runCommand } from "./run-command.ts";

export type GitOptions = {
  readonly identity: AgentIdentity;
  /** PATH of the relay. Behind a wrapper, where it says nothing, the usual directories are looked through. */
  readonly path: string | undefined;
};

export type GitLimits = {
  /** Default 20,000. */
  readonly timeoutMs?: number;
  /** Of the output. Default 4 MiB. */
  readonly maxBytes?: number;
  readonly input?: string | Readable;
  /** A file that replaces the index; a path as the agent sees it. */
  readonly indexFile?: string;
  /** Another checkout of the repository, whose files the command looks at too. */
  readonly alsoIn?: string;
};

export type GitOutput = {
  /** Absent when it was ended because its output is too long. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
};

/**
 * git in a tree that an agent can write to: as the agent, within a time, and so that whatever stands in the repository
 * (settings, hooks, attributes, filters, submodules) has nothing run and nothing fetched.
 */
export interface Git {
  /**
   * Runs git in the checkout that holds `directory`. Exit codes are left to the caller.
   *
   * @throws RelayError `git` when there is no checkout, or git does not run or does not end.
   */
  run(directory: string, args: readonly string[], limits?: GitLimits): Promise<GitOutput>;
  /** Like `run`, for a command that has to succeed. Gives its output without line breaks at the end. */
  read(directory: string, args: readonly string[], limits?: GitLimits): Promise<string>;
  /** A path of the host as the agent's git sees it. */
  toAgentPath(path: string): string;
  /** Runs another program as the agent, in the host's directory, with no environment but PATH. */
  exec(argv: readonly string[], limits?: Pick<GitLimits, "input" | "timeoutMs">): Promise<void>;
}

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function createGit({ identity, path }: GitOptions): Git {
  const paths = new PathMap(identity.pathMap);
  const isWrapped = (identity.wrapper ?? []).length > 0;
  // A relative entry would be looked up where the agent can write.
  const absolute = (path ?? "").split(":").filter((entry) => entry.startsWith("/"));
  const searched = isWrapped || absolute.length === 0 ? USUAL_PATH : absolute.join(":");

  const start = async (
    what: string,
    env: Readonly<Record<string, string>>,
    argv: readonly string[],
    { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, input = "" }: GitLimits = {},
  ): Promise<GitOutput> => {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    let result: Awaited<ReturnType<typeof runCommand>>;
    try {
      // Given as arguments, the environment passes any wrapper.
      result = await runCommand(["/usr/bin/env", "-i", ...variables, ...argv], {
        identity,
        env: { PATH: searched },
        input,
        timeoutMs,
        maxBytes,
      });
    } catch (error) {
      throw failed(`${what} cannot be run`, error);
    }
    if (result.isLate) throw failed(`${what} took longer than ${timeoutMs / 1_000} s`);
    if (result.code === 127) throw failed(`${what} cannot be run; is git installed?`);
    return result;
  };

  const placeOf = async (directory: string): Promise<readonly string[]> => {
    const top = await findCheckout(directory);
    if (top === undefined) throw failed("there is no git checkout");
    return [
      ...["git", "-C", paths.toAgent(directory)],
      `--git-dir=${paths.toAgent(join(top, ".git"))}`,
      `--work-tree=${paths.toAgent(top)}`,
      ...["--no-pager", "--literal-pathspecs"],
    ];
  };

  /** Names of the settings that hold there: another checkout of the same repository may have others. */
  const readNames = async (
    place: readonly string[],
    { timeoutMs = TIMEOUT_MS }: GitLimits,
  ): Promise<readonly string[]> => {
    const env = formatHarmlessEnv(searched, []);
    const args = ["config", "--list", "--name-only", "-z"];
    const { code, stdout, stderr } = await start("git config", env, [...place, ...args], {
      timeoutMs,
    });
    if (code !== 0) throw failed(`git config failed: ${firstLine(stderr)}`);
    return stdout.split("\0");
  };

  const run: Git["run"] = async (directory, args, limits = {}) => {
    const { indexFile, alsoIn } = limits;
    const place = await placeOf(directory);
    const names = await readNames(place, limits);
    const more = alsoIn === undefined ? [] : await readNames(await placeOf(alsoIn), limits);
    const drivers = formatDriverSettings([...names, ...more]);
    if (drivers.length > MAX_DRIVER_SETTINGS) throw failed("the repository has too many filters");
    const env = {
      ...formatHarmlessEnv(searched, drivers),
      ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    };
    return start(`git ${args[0] ?? ""}`, env, [...place, ...args], limits);
  };

  return {
    run,
    async read(directory, args, limits) {
      const { code, stdout, stderr } = await run(directory, args, limits);
      if (code === 0) return stdout.replace(/\n+$/, "");
      throw failed(`git ${args[0] ?? ""} failed (${code ?? "cut"}): ${firstLine(stderr)}`);
    },
    toAgentPath: (host) => paths.toAgent(host),
    async exec(argv, limits) {
      const { code, stderr } = await start(argv[0] ?? "", { PATH: searched }, argv, limits);
      if (code !== 0) throw failed(`${argv[0] ?? ""} failed (${code}): ${firstLine(stderr)}`);
    },
  };
}

/** The directory above, or itself, that has a `.git`. */
export async function findCheckout(directory: string): Promise<string | undefined> {
  for (let top = directory; ; top = dirname(top)) {
    const found = await lstat(join(top, ".git")).catch(() => undefined);
    if (found !== undefined) return top;
    if (top === dirname(top)) return undefined;
  }
}

/** For an operator: it may name paths. */
function failed(what: string, cause?: unknown): RelayError {
  return new RelayError(what, { code: "git", cause });
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line !== "") ?? "it does not say why").slice(0, 300);
}
