/** Text files by their path from the root of the workspace. */
export type Files = ReadonlyMap<string, string>;

/** A few files, for an example. */
export type Sample = Readonly<Record<string, string>>;

/** A rule about the sources, with the examples that prove that it can fail. */
export type Rule = {
  /** What holds when nothing is found. */
  readonly title: string;
  /** One line for each place that breaks the rule: `path:line: why`. */
  readonly find: (files: Files) => string[];
  /** Each of them breaks the rule. */
  readonly bad: readonly Sample[];
  /** None of them breaks it, though it looks as if. */
  readonly fine: readonly Sample[];
};

/** The files whose path matches, in the order of their paths. */
export function filesIn(files: Files, pattern: RegExp): [path: string, text: string][] {
  return [...files].filter(([path]) => pattern.test(path)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Sources of packages and apps. */
export const sources = /^(packages|apps)\/[^/]+\/src\/.+\.[cm]?tsx?$/;

/** `packages/router` for any path in it, and `undefined` outside packages and apps. */
export function folderOf(path: string): string | undefined {
  return /^(packages|apps)\/[^/]+(?=\/)/.exec(path)?.[0];
}

/** The number of the line that holds `offset`, from 1 on. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
