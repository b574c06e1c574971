import { advertise, buildMeta } from "@acp-kit/statusline";

// In the answer to `initialize`.
export const agentCapabilities = { loadSession: true, _meta: advertise() };

// In any `session/update`, beside `sessionId` and `update`.
const params = {
  sessionId: "s1",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "On it." } },
  _meta: buildMeta({ mood: "focused", plan: "2/5" }),
};
console.log(JSON.stringify(params._meta)); // {"dev.acp-kit.status-line/v1":{"mood":"focused","plan":"2/5"}}
