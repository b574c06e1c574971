import { readFileSync } from "node:fs";
import type { RecordEntry } from "@acp-kit/demo-agent";

/** What has reached the agents that write this record, oldest first; nothing while there is no file. */
export function readRecord(file: string): RecordEntry[] {
  let record: string;
  try {
    record = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  // A line that is being written has no end yet.
  const lines = record.slice(0, record.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RecordEntry);
}

/** A prompt that reached an agent. */
export interface ReceivedPrompt {
  readonly session: string;
  /** Its text blocks, joined. */
  readonly text: string;
}

/** The prompts of a record, oldest first. */
export function promptsIn(record: readonly RecordEntry[]): ReceivedPrompt[] {
  return record.flatMap((entry) => {
    if (entry.kind !== "received" || entry.method !== "session/prompt") return [];
    const { sessionId, prompt } = entry.params as {
      sessionId: string;
      prompt: { type: string; text?: string }[];
    };
    const text = prompt.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
    return [{ session: sessionId, text }];
  });
}
