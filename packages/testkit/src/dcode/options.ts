import type { DcodeEvent, SpecFolder, UndoResult } from "@acp-kit/dcode-protocol";
import type { Certificate } from "../certificate.ts";
import { type DcodeScript, demoDcodeScript } from "./script.ts";

/** What a typed command does; `exit` 0 when it is left out. */
export type DcodeExec = (
  command: string,
  signal: AbortSignal,
) => Promise<{ output: string; exit?: number }>;

export type FakeDcodeOptions = {
  /** Where it listens. Default a socket in a temporary folder of its own. */
  readonly socketPath?: string;
  /**
   * Listens on a loopback port instead, as a proxy in front of a daemon does: by TLS if there is a
   * certificate, and with 401 for requests without the token.
   */
  readonly tcp?: { readonly token?: string; readonly tls?: Certificate };
  /** The model. Default {@link demoDcodeScript}. */
  readonly script?: DcodeScript;
  /** Typed commands. Default: each prints itself. */
  readonly exec?: DcodeExec;
  /** Default 0.20.0. */
  readonly version?: string;
  /** Default v1. */
  readonly protocol?: string;
  readonly model?: string;
  /** Tokens; null for a daemon that does not know. Default 200,000. */
  readonly contextWindow?: number | null;
  /** Default 64. */
  readonly maxSessions?: number;
  /** Events that a session keeps. Default 10,000. */
  readonly retention?: number;
  /** Default 120,000. */
  readonly approvalTimeoutMs?: number;
  /** Default 20,000. */
  readonly pingMs?: number;
  /** How many looks at a session still find it busy after `turn.completed`: refused turns, and answers to GET. Default 0. */
  readonly idleLag?: number;
  /** How many answers to each approval come before it is registered, and are refused. Default 0. */
  readonly approvalLag?: number;
  /** Routes that an older daemon does not have: `mode`, `exec`, `done`, `name`, `specs`, … */
  readonly missingRoutes?: readonly string[];
  /**
   * `0.20` (default): approvals have no deadline on the wire, and renaming a live session makes no event
   * but a line in its record. `later`: both are real.
   */
  readonly era?: "0.20" | "later";
  /** What undo answers. Default: nothing, which is two nulls. */
  readonly undo?: { readonly [Key in keyof UndoResult]: UndoResult[Key] | null };
  /** Default none, which is null. */
  readonly specs?: readonly SpecFolder[];
  /** What event streams send of an event, when that is not its frame: nothing, or anything that no daemon should send. */
  readonly frame?: (event: DcodeEvent, frame: string) => string;
  /** Offset of the daemon's local time, as it stands in every time that it writes. Default `-03:00`. */
  readonly zone?: string;
};

export type Settings = Required<
  Omit<FakeDcodeOptions, "socketPath" | "tcp" | "script" | "exec">
> & {
  readonly script: DcodeScript;
  readonly exec: DcodeExec;
};

export const defaultSettings: Settings = {
  script: demoDcodeScript,
  exec: async (command) => ({ output: `${command}\n` }),
  version: "0.20.0",
  protocol: "v1",
  model: "m-1",
  contextWindow: 200_000,
  maxSessions: 64,
  retention: 10_000,
  approvalTimeoutMs: 120_000,
  pingMs: 20_000,
  idleLag: 0,
  approvalLag: 0,
  missingRoutes: [],
  era: "0.20",
  undo: { restored: null, refused: null },
  specs: [],
  frame: (_, frame) => frame,
  zone: "-03:00",
};

/** An instant in the daemon's local time, to the nanosecond, trailing zeros cut. */
export function formatTime(epochMs: number, nanoseconds: number, zone: string): string {
  const match = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  const minutes = match
    ? (Number(match[2]) * 60 + Number(match[3])) * (match[1] === "-" ? -1 : 1)
    : 0;
  const local = new Date(epochMs + minutes * 60_000).toISOString();
  const fraction = `${local.slice(20, 23)}${String(nanoseconds).padStart(6, "0")}`.replace(
    /0+$/,
    "",
  );
  return `${local.slice(0, 19)}${fraction && `.${fraction}`}${match ? zone : "Z"}`;
}
