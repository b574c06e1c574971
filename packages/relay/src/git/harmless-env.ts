/**
 * Settings by which a repository can have a program run, reach the network, or lead git to other files; each with a value
 * that does nothing. What has a name of its own in between (filters) is in {@link formatDriverSettings}.
 */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", "false"],
  ["core.askPass", ""],
  ["core.editor", "false"],
  ["core.pager", "cat"],
  ["core.alternateRefsCommand", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.quotePath", "false"],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["gpg.program", "false"],
  ["log.showSignature", "false"],
  ["protocol.allow", "never"],
  ["protocol.ext.allow", "never"],
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["color.ui", "false"],
  // The place is the operator's choice, and nothing of it is believed: whose it is does not matter.
  ["safe.directory", "*"],
  ["safe.bareRepository", "explicit"],
];

const VARIABLES: Readonly<Record<string, string>> = {
  HOME: "/nonexistent",
  XDG_CONFIG_HOME: "/nonexistent",
  LC_ALL: "C",
  TERM: "dumb",
  PAGER: "cat",
  EDITOR: "false",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  GIT_SSH: "false",
  GIT_SSH_COMMAND: "false",
  GIT_PROXY_COMMAND: "false",
  // No transport has this name: none is allowed.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

const DRIVER = /^filter\.(.*)\.(clean|smudge|process|required)$/s;

/** Most settings of a repository's own filters that are switched off; one with more is refused. */
export const MAX_DRIVER_SETTINGS = 500;

/** What switches a repository's filters off. @param names - Of all its settings. */
export function formatDriverSettings(
  names: readonly string[],
): readonly (readonly [key: string, value: string])[] {
  return [...new Set(names)].flatMap((name) => {
    const [, , part] = DRIVER.exec(name) ?? [];
    if (part === undefined) return [];
    return [[name, part === "required" ? "false" : ""] as const];
  });
}

/** The whole environment of a git that nothing in the repository, on the host or of its user has a say in. */
export function formatHarmlessEnv(
  path: string,
  drivers: readonly (readonly [key: string, value: string])[],
): Readonly<Record<string, string>> {
  const settings = [...SETTINGS, ...drivers];
  // By environment and not by `-c`: a name may hold an equals sign, and git's own children get them too.
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...VARIABLES,
    PATH: path,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(entries),
  };
}
