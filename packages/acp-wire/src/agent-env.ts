/** Names that say who one is. They are another's when the agent runs under another identity. */
const PERSONAL = ["HOME", "USER", "LOGNAME", "SHELL", "TMPDIR"];
/** Names, besides `LC_*`, that an agent gets from the host: where things are, and how to talk. */
const COMMON = [
  "PATH",
  "LANG",
  "TERM",
  "TZ",
  // Without these a Windows process cannot find its own system libraries or profile.
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
];

export interface AgentEnvOptions {
  /** The environment to pick from, usually `process.env`. */
  hostEnv: Readonly<Record<string, string | undefined>>;
  /** More names to take from it. */
  envPass?: readonly string[] | undefined;
  /** Whether the agent runs under the identity that the host environment is of. Default true. */
  sameUser?: boolean | undefined;
  /** Variables to set; they win. */
  env?: Readonly<Record<string, string>> | undefined;
}

/**
 * The environment of an agent: an allow-list, so that a secret of the host (a bot token, a signing
 * key) reaches an agent only when somebody named it. Pure.
 */
export function createAgentEnv({
  hostEnv,
  envPass = [],
  env = {},
  sameUser = true,
}: AgentEnvOptions): Record<string, string> {
  const allowed = new Set(sameUser ? [...COMMON, ...PERSONAL] : COMMON);
  const passed = new Set(envPass);
  const entries = new Map<string, string>();
  for (const [name, value] of Object.entries(hostEnv)) {
    if (value === undefined) continue;
    if (allowed.has(name.toUpperCase()) || name.startsWith("LC_") || passed.has(name)) {
      entries.set(name, value);
    }
  }
  for (const [name, value] of Object.entries(env)) entries.set(name, value);
  return Object.fromEntries(entries);
}
