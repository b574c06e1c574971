import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Answer,
  COMMAND,
  DONE,
  PLAIN,
  replyTo,
  sendEvents,
  sendJson,
  WAITING,
} from "./model-mock.ts";
import type { RealAgent } from "./real-agent.ts";

type Part = { text?: string; functionResponse?: unknown };

/** @see https://ai.google.dev/api/generate-content */
const answer: Answer = (path, body, response) => {
  if (path.includes(":countTokens")) return sendJson(response, { totalTokens: 1 });
  const contents = (body["contents"] ?? []) as { parts?: Part[] }[];
  const parts = contents.flatMap((content) => content.parts ?? []);
  const reply = replyTo(
    parts.map((part) => (part.functionResponse ? { result: true } : { text: part.text ?? "" })),
  );
  if (!path.includes(":streamGenerateContent")) {
    return sendJson(response, candidate([{ text: PLAIN }], true));
  }
  if (reply === "tool") {
    const args = { command: COMMAND, description: "Makes a file" };
    const call = { functionCall: { name: "run_shell_command", args } };
    return sendEvents(response, [{ data: candidate([call], true) }]);
  }
  if (reply === "wait") {
    return sendEvents(response, [{ data: candidate([{ text: WAITING }], false) }], false);
  }
  sendEvents(response, [{ data: candidate([{ text: reply === "done" ? DONE : PLAIN }], true) }]);
};

function candidate(parts: object[], isLast: boolean): object {
  return {
    candidates: [
      { index: 0, content: { role: "model", parts }, ...(isLast && { finishReason: "STOP" }) },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  };
}

export const gemini: RealAgent = {
  name: "gemini",
  package: "@google/gemini-cli@0.61",
  bin: "gemini",
  args: ["--acp"],
  authMethod: "gemini-api-key",
  filesByMinute: true,
  answer,
  async env(home, url) {
    await mkdir(join(home, ".gemini"), { recursive: true });
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    await writeFile(join(home, ".gemini/settings.json"), JSON.stringify(settings));
    return {
      GEMINI_API_KEY: "none",
      GEMINI_CLI_NO_RELAUNCH: "1",
      GEMINI_MODEL: "gemini-2.5-flash",
      GOOGLE_GEMINI_BASE_URL: url,
    };
  },
};
