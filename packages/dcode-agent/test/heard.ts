import type { SessionUpdateParams } from "@acp-kit/acp-wire";
import { parseMeta } from "@acp-kit/statusline";

const chunkKinds = {
  user_message_chunk: "user",
  agent_message_chunk: "agent",
  agent_thought_chunk: "thought",
};

/** What updates have told, as the lines of an `Account`. Fails for an update of a kind that is in no account. */
export function heardOf(updates: readonly SessionUpdateParams[]): string[] {
  const lines: string[] = [];
  const cards: unknown[] = [];
  const runs: unknown[] = [];
  const numberIn = (ids: unknown[], id: unknown) =>
    ids.includes(id) ? ids.indexOf(id) + 1 : ids.push(id);
  for (const { update, _meta } of updates) {
    const told = update as { readonly [key: string]: unknown };
    const status = parseMeta(_meta);
    if (status.ok) lines.push(`status ${status.mood} ${status.plan}`);
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const kind = chunkKinds[update.sessionUpdate];
        const start = `${kind} ${numberIn(runs, told["messageId"])} `;
        const { text } = told["content"] as { text: string };
        const last = lines.length - 1;
        if (lines[last]?.startsWith(start)) lines[last] += text;
        else lines.push(start + text);
        break;
      }
      case "tool_call":
      case "tool_call_update": {
        const opens = update.sessionUpdate === "tool_call";
        if (opens === cards.includes(told["toolCallId"])) throw new Error("opened twice, or never");
        const card = numberIn(cards, told["toolCallId"]);
        const { output } = (told["rawOutput"] ?? {}) as { output?: string };
        lines.push(`card ${card} ${JSON.stringify([told["status"], told["title"], output])}`);
        break;
      }
      case "plan": {
        const entries = told["entries"] as { content: string; status: string }[];
        lines.push(
          `plan ${entries.map(({ content, status }) => `${content}=${status}`).join(", ")}`,
        );
        break;
      }
      case "usage_update":
        lines.push(`usage ${told["used"]}/${told["size"]}`);
        break;
      case "session_info_update":
        if ("title" in told) lines.push(`title ${told["title"]}`);
        else if (!status.ok) throw new Error("an update that tells nothing");
        break;
      case "current_mode_update":
        lines.push(`mode ${told["currentModeId"]}`);
        break;
      case "config_option_update": {
        const options = told["configOptions"] as { currentValue: string }[];
        lines.push(`option ${options.map(({ currentValue }) => currentValue).join()}`);
        break;
      }
      case "notice":
        lines.push(`notice ${told["severity"]} ${told["title"]}`);
        break;
      default:
        throw new Error(`an update of the kind ${update.sessionUpdate} is in no account`);
    }
  }
  return lines;
}
