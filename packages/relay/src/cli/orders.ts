import type { SocketHandle } from "../socket-handle.ts";

/** What the primary tells a generation. `begin` comes first and once, with the handle of the {@link HeldSocket}. */
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
} & Pick<HeldSocket, "openedFor">;

/**
 * The public listening socket. The primary keeps a descriptor of it and accepts nothing: while no generation serves, the
 * system keeps what comes for the next one.
 */
export type HeldSocket = {
  readonly handle: SocketHandle;
  /** The host and port of the settings for which it was opened; absent when a service manager has opened it. */
  readonly openedFor?: string | undefined;
};

/** The longest that a generation needs to its end once it is told so, in milliseconds. */
export type EndTimes = { readonly retire: number; readonly stop: number };

/** What a generation tells the primary. Its end is its exit. */
export type Report =
  /** With `openedFor` comes the handle of a socket that the generation has opened. */
  | ({ readonly kind: "serves"; readonly endTimes: EndTimes } & Pick<HeldSocket, "openedFor">)
  /** It does not start, and exits. `why` are lines for the operator. */
  | { readonly kind: "failed"; readonly why: readonly string[] };

/** How a relay ended: the exit code, and lines for the operator when something went wrong. */
export type PrimaryEnd = { readonly code: number; readonly why?: readonly string[] };
