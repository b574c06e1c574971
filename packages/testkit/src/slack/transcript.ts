import { findSeenMessages, findThreadMarks, type SeenMessage } from "./seen-message.ts";
import type { Workspace } from "./workspace.ts";

/**
 * What one person sees of a channel, replies under their roots:
 *
 *     ana: <@U0BOT> hello  :eyes:1
 *       agent: Hello. …
 *       (agent is thinking)
 *
 * `…` stands for a stream that is live, `⚠` for one that has failed, `(only you)` for what nobody else sees.
 */
export function formatTranscript(workspace: Workspace, user: string, channel: string): string {
  const visible = findSeenMessages(workspace, user, channel);
  const lines: string[] = [];
  for (const root of visible) {
    if (root.threadTs !== undefined) continue;
    lines.push(...formatMessageLines(root, ""));
    for (const reply of visible.filter(({ threadTs }) => threadTs === root.ts)) {
      lines.push(...formatMessageLines(reply, "  "));
    }
    lines.push(...findThreadMarks(workspace, channel, root.ts).map((mark) => `  ${mark}`));
  }
  return lines.join("\n");
}

function formatMessageLines(
  { author, text, marks }: SeenMessage,
  indent: string,
): readonly string[] {
  const [first = "", ...rest] = text.split("\n");
  return [
    `${indent}${[`${author}: ${first}`, ...(rest.length === 0 ? marks : [])].join("  ")}`.trimEnd(),
    ...rest.map((line, at) =>
      `${indent}  ${[line, ...(at === rest.length - 1 ? marks : [])].join("  ")}`.trimEnd(),
    ),
  ];
}
