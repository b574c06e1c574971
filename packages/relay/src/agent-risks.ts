import { stat } from "node:fs/promises";
import { identityOf, sharesUser } from "./agent-identity.ts";
import type { AgentConfig } from "./config/schema.ts";
import type { Env } from "./config/secret.ts";

/** Variables that agents often need, and do not get by themselves. */
const OFTEN_WANTED =
  /^(?:(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE|MISTRAL|OPENROUTER)_API_KEY|SSH_AUTH_SOCK|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|GIT_(?:AUTHOR|COMMITTER|SSH)_?\w*)$/i;

/** Programs that fetch a package and run it, with the words that may stand before its name. */
const FETCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  pnpx: [],
  bunx: [],
  uvx: [],
  npm: ["exec", "x"],
  pnpm: ["dlx", "exec"],
  yarn: ["dlx"],
  bun: ["x"],
};

/**
 * What an operator should know of an agent, one sentence each.
 *
 * @param file - Its program.
 * @param uid - Of the relay; absent where there is no such thing.
 */
export async function findAgentRisks(
  agent: AgentConfig,
  file: string,
  { env, uid }: { readonly env: Env; readonly uid: number | undefined },
): Promise<readonly string[]> {
  const { runAs, command } = agent;
  const risks: string[] = [];
  if (sharesUser(identityOf(agent), uid)) {
    risks.push(
      'it runs as the user of the relay: it can read the relay\'s secrets and approve its own requests; give it "runAs" or a "wrapper"',
    );
  }
  if (runAs !== undefined && agent.env["HOME"] === undefined) {
    risks.push('it runs as another user and has no HOME; set it in "env"');
  }
  const unpinned = findUnpinnedPackage(command);
  if (unpinned !== undefined) {
    risks.push(
      `it is whatever version of ${unpinned} is the newest when it starts; install one and start that`,
    );
  }
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0;
  if ((mode & 0o002) !== 0) risks.push(`everybody can write its program ${file}; chmod o-w it`);
  const missing = Object.keys(env).filter(
    (name) =>
      OFTEN_WANTED.test(name) && !agent.envPass.includes(name) && agent.env[name] === undefined,
  );
  if (missing.length > 0) {
    risks.push(
      `it does not get ${missing.sort().join(", ")}; name in "envPass" those that it needs`,
    );
  }
  return risks;
}

/** The package that a command fetches without saying which version. */
export function findUnpinnedPackage(command: readonly string[]): string | undefined {
  const [program = "", ...args] = command;
  const name =
    program
      .split("/")
      .at(-1)
      ?.replace(/\.(?:cmd|exe)$/i, "") ?? "";
  const verbs = Object.hasOwn(FETCHERS, name) ? FETCHERS[name] : undefined;
  if (verbs === undefined) return undefined;
  if (verbs.length > 0 && !verbs.includes(args[0] ?? "")) return undefined;
  const words = verbs.length > 0 ? args.slice(1) : args;
  const named = words.flatMap((word, at) => {
    if (word === "-p" || word === "--package" || word === "--from") return [words[at + 1] ?? ""];
    const [, value] = /^--(?:package|from)=(.*)$/.exec(word) ?? [];
    return value === undefined ? [] : [value];
  });
  const wanted = named[0] ?? words.find((word) => !word.startsWith("-"));
  if (wanted === undefined || isPath(wanted)) return undefined;
  const version = /.[@=]=?([^@/=]+)$/.exec(wanted)?.[1];
  const isPinned = version !== undefined && /^\d+\.\d+\.\d+/.test(version);
  return isPinned ? undefined : wanted;
}

function isPath(word: string): boolean {
  return word.startsWith("/") || word.startsWith("./") || word.startsWith("../");
}
