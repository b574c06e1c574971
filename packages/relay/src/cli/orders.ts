/** What the primary tells a generation. `begin` comes first and once. */
export type Order =
  | ({ readonly kind: "begin" } & Beginning)
  /** Another generation serves: leave everything new to it, and end with what runs here. */
  | { readonly kind: "retire" }
  | { readonly kind: "stop" };

/** What a generation cannot find out by itself. */
export type Beginning = {
  /** 1 for the first. */
  readonly generation: number;
  /** Real path; the primary holds its lock. */
  readonly stateDir: string;
  /** The access key of the demo: all generations have the same. */
  readonly demoKey: string;
  /** A socket that this process inherits and that listens already. */
  readonly inheritedFd?: number;
};

/** The longest that a generation needs to its end once it is told so, in milliseconds. */
export type EndTimes = { readonly retire: number; readonly stop: number };

/** What a generation tells the primary. Its end is its exit. */
export type Report =
  | { readonly kind: "serves"; readonly endTimes: EndTimes }
  /** It does not start, and exits. `message` is one line for the operator. */
  | { readonly kind: "failed"; readonly message: string };

/** How a relay ended: the exit code, and a line for the operator when something went wrong. */
export type PrimaryEnd = { readonly code: number; readonly message?: string };
