import { DcodeClient } from "@acp-kit/dcode-client";
import { isKnownEvent } from "@acp-kit/dcode-protocol";

/** One question in a session of its own; nothing that asks for permission is allowed. */
export async function ask(socketPath: string, workspace: string, question: string) {
  const client = new DcodeClient({ socketPath });
  await client.checkVersion();
  const { id, last_seq: last } = await client.createSession({ workspace });
  await client.submitTurn(id, { text: question });
  let answer = "";
  for await (const event of client.events(id, { from: last + 1 })) {
    if (!isKnownEvent(event)) continue;
    if (event.type === "message.delta") answer += event.payload.text;
    if (event.type === "tool.approval_required") {
      await client.resolveApproval(id, event.payload.approval_id, "deny", { settleMs: 2_000 });
    }
    if (event.type === "turn.completed") break;
  }
  await client.deleteSession(id);
  return answer;
}
