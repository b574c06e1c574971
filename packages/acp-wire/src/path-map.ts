/** A directory as the host and as the agent see it, where a wrapper (a container) shows it elsewhere. */
export interface PathMapping {
  readonly host: string;
  readonly agent: string;
}

/**
 * Translates absolute POSIX paths between host and agent. The longest mapping that holds a path
 * counts; a path that none holds stays as it is.
 */
export class PathMap {
  readonly #mappings: readonly PathMapping[];

  constructor(mappings: readonly PathMapping[] = []) {
    this.#mappings = mappings.map(({ host, agent }) => ({ host: trim(host), agent: trim(agent) }));
  }

  toAgent(path: string): string {
    return translate(path, this.#mappings, "host", "agent");
  }

  toHost(path: string): string {
    return translate(path, this.#mappings, "agent", "host");
  }
}

function translate(
  path: string,
  mappings: readonly PathMapping[],
  from: keyof PathMapping,
  to: keyof PathMapping,
): string {
  const best = mappings
    .filter((mapping) => path === mapping[from] || path.startsWith(`${mapping[from]}/`))
    .sort((a, b) => b[from].length - a[from].length)[0];
  return best === undefined ? path : best[to] + path.slice(best[from].length) || "/";
}

function trim(path: string): string {
  return path.replace(/\/+$/, "");
}
