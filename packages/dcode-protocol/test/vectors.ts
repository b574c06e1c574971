import { readFileSync } from "node:fs";

export type Expectation = {
  path: string;
  value?: unknown;
  absent?: true;
  no_time?: true;
  epoch_ms?: number;
  grants?: boolean;
  exit?: number | null;
  accepted?: true;
};

type Case = { id: string; json?: unknown; wire?: string; traps?: string[]; note?: string };
export type AcceptedCase = Case & { expect?: Expectation[] };
export type RejectedCase = Case & { why: string };

export type Vectors = {
  constants: {
    version: string;
    workspace_done_dir: string;
    zero_time: string;
    event_types: string[];
    modes: string[];
    plan_statuses: string[];
    stop_reasons: string[];
    progress_kinds: string[];
    session_states: string[];
  };
  functions: {
    decision: { input: string; valid: boolean; remembered: boolean; grants: boolean }[];
    session_state_valid: { input: string; expect: boolean }[];
    valid_mode: { input: string; expect: boolean }[];
    error_text: { input: { code: string; message: string }; expect: string }[];
  };
  events: AcceptedCase[];
  rejected_events: RejectedCase[];
  types: Record<string, { direction: string; accepted: AcceptedCase[]; rejected: RejectedCase[] }>;
  writes: { id: string; type: string; value: unknown; json: string; traps?: string[] }[];
  sequences: { id: string; traps: string[]; events: unknown[]; expect: Record<string, unknown> }[];
};

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`vectors/${name}`, import.meta.url), "utf8"));
}

export const vectors = read<Vectors>("dcode-events.json");
export const statusVectors = read<{
  codes: Record<string, number>;
  cases: { code: string; status: number }[];
}>("dcode-status.json");

/** The case's exact text, or its value as text. */
export function textOf(entry: Case): string {
  return entry.wire ?? JSON.stringify(entry.json);
}

/** The value of a JSON text, undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
