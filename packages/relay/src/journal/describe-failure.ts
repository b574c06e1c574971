import { formatForTerminal } from "../terminal-text.ts";

const MAX_DETAIL_CHARS = 8_192;
const MAX_CAUSES = 4;

/** What an operator needs of an error: its own code, and stack, causes and output of the agent's process as text. */
export function describeFailure(error: unknown): {
  readonly code: string;
  readonly detail: string;
} {
  const parts: string[] = [];
  let cause = error;
  for (let depth = 0; cause !== undefined && depth < MAX_CAUSES; depth += 1) {
    if (!(cause instanceof Error)) {
      parts.push(String(cause));
      break;
    }
    parts.push(cause.stack ?? cause.message);
    const { data, exit } = cause as { data?: unknown; exit?: { stderrTail?: unknown } };
    if (data !== undefined) parts.push(`data: ${formatData(data)}`);
    if (typeof exit?.stderrTail === "string" && exit.stderrTail !== "") {
      parts.push(`stderr of the agent:\n${exit.stderrTail}`);
    }
    cause = cause.cause;
  }
  const { code } = (error ?? {}) as { code?: unknown };
  const detail = formatForTerminal(parts.join("\n")).slice(0, MAX_DETAIL_CHARS);
  return { code: code === undefined ? "" : String(code), detail };
}

function formatData(data: unknown): string {
  try {
    return JSON.stringify(data) ?? "";
  } catch {
    return "(not JSON)";
  }
}
