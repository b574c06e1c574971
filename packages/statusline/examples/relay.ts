import * as statusline from "@acp-kit/statusline";

const modelId = "anthropic/claude-opus-4-5-20251001"; // the session's current model
let status: statusline.Status = {
  providerEmoji: statusline.providerEmojiForModel(modelId),
  model: statusline.shortModelName(modelId),
};

/** Call it with the params of every `session/update`. */
export function receive(params: { _meta?: unknown; update: { _meta?: unknown } }): void {
  const inParams = statusline.parseMeta(params._meta);
  const { mood, plan, ok } = inParams.ok ? inParams : statusline.parseMeta(params.update._meta);
  if (ok) status = { ...status, mood, plan };
}

receive({ _meta: statusline.buildMeta({ mood: "focused", plan: "2/5" }), update: {} });
console.log(statusline.segments(status).join(" • ")); // 🏛️ opus-4.5 • focused • 2/5
