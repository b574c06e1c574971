/** Names, besides `LC_*`, that an agent gets from the host: where things are, and how to talk. */
const ALLOWED = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TERM",
  "TMPDIR",
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
]);

export interface AgentEnvOptions {
  /** The environment to pick from, usually `process.env`. */
  hostEnv: Readonly<Record<string, string | undefined>>;
  /** More names to take from it. */
  envPass?: readonly string[] | undefined;
  /** Variables to set; they win. */
  env?: Readonly<Record<string, string>> | undefined;
}

/**
 * The environment of an agent: an allow-list, so that a secret of the host (a bot token, a signing
 * key) reaches an agent only when somebody named it. Pure.
 */
export function createAgentEnv({ hostEnv, envPass = [], env = {} }: AgentEnvOptions) {
  const passed = new Set(envPass);
  const entries = new Map<string, string>();
  for (const [name, value] of Object.entries(hostEnv)) {
    if (value === undefined) continue;
    if (ALLOWED.has(name.toUpperCase()) || name.startsWith("LC_") || passed.has(name)) {
      entries.set(name, value);
    }
  }
  for (const [name, value] of Object.entries(env)) entries.set(name, value);
  return Object.fromEntries(entries);
}
