import { formatCode, formatPlain, formatSpan, plural } from "./words.ts";

/** What `!status` knows; what is absent is not shown. */
export type Status = {
  readonly agent: string;
  /** As the agent says it itself. */
  readonly agentVersion?: string | undefined;
  readonly model: Shown;
  readonly mode: Shown;
  readonly project: string;
  /** Why no turn starts, while none does; may be empty. */
  readonly pause?: string | undefined;
  /** The message that runs, in a few words. */
  readonly running?: string | undefined;
  readonly waiting: number;
  readonly hasSession: boolean;
  /** How full the context window is, 0 to 1. */
  readonly contextUse?: number | undefined;
  readonly grants: number;
  /** What an operator set for this conversation, and for how many milliseconds more. */
  readonly policy?: { readonly policy: string; readonly forMs?: number | undefined } | undefined;
  readonly login?: "waits" | undefined;
  readonly lastError?: { readonly ref: string; readonly agoMs: number } | undefined;
  readonly relay: string;
};

/** A setting and who made it so. */
export type Shown = {
  readonly value?: string | undefined;
  readonly by: "you" | "somebody" | "agent" | "nobody";
  /** It holds from the next message on; something else runs now. */
  readonly isNext: boolean;
};

/** The answer to `!status`. Pure. */
export function formatStatus(status: Status): string {
  const { agent, agentVersion, running, waiting, contextUse, grants } = status;
  const { pause } = status;
  const lines = [
    pause !== undefined &&
      `paused: nothing starts${pause === "" ? "" : ` (${formatPlain(pause)})`}`,
    `agent: ${formatCode(agent)}${agentVersion === undefined ? "" : ` (${formatPlain(agentVersion)})`}`,
    `model: ${formatShown(status.model)}`,
    `mode: ${formatShown(status.mode)}`,
    `project: ${formatCode(status.project)}`,
    running === undefined ? "now: nothing runs" : `now: *${running}*`,
    waiting > 0 && `waiting: ${plural(waiting, "message")}`,
    status.hasSession ? undefined : "session: the next message starts one",
    contextUse !== undefined && `context: ${Math.round(contextUse * 100)} % full`,
    grants > 0 && `allowed for good: ${grants} (\`!revoke\`)`,
    status.policy && formatPolicy(status.policy),
    status.login && "login: waits for you (`!login cancel`)",
    status.lastError &&
      `last error: ref ${formatPlain(status.lastError.ref)}, ${formatSpan(status.lastError.agoMs)} ago`,
    `relay: ${formatPlain(status.relay)}`,
  ];
  const shown = lines.filter((line) => typeof line === "string" && line !== "");
  return `**Status**\n\n${shown.map((line) => `- ${line}`).join("\n")}`;
}

function formatPolicy({ policy, forMs }: NonNullable<Status["policy"]>): string {
  const until = forMs === undefined ? "until `!policy default`" : `for ${formatSpan(forMs)} more`;
  return `approvals: ${formatCode(policy)}, ${until}`;
}

const makers = {
  you: ", chosen by you",
  somebody: ", chosen by somebody else",
  agent: ", changed by the agent",
  nobody: "",
} as const;

function formatShown({ value, by, isNext }: Shown): string {
  if (value === undefined) return "the agent's own";
  return `${formatCode(value)}${makers[by]}${isNext ? ", from the next message" : ""}`;
}
