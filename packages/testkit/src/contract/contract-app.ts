import type { RecordEntry } from "@acp-kit/demo-agent";
import { waitFor } from "../wait-for.ts";

/** Ana and Bob may talk to the app, with a user's rights; Eve may not. */
export type ContractPerson = "ana" | "bob" | "eve";

export type ContractFile = { readonly name: string; readonly bytes: Uint8Array };

/** One conversation, in which all three can write. */
export interface ContractChat {
  /** Writes a message. Resolves when it is on its way: what comes of it is to be seen. */
  say(person: ContractPerson, text: string, file?: ContractFile): Promise<void>;
  /** What somebody sees here of the app's now, as text, oldest first. What was replaced or removed is gone. */
  see(person: ContractPerson): string;
  /** Answers the newest question that was ever shown, also when it is gone by now, by the means that the platform has. */
  answer(person: ContractPerson, answer: "yes" | "no"): Promise<void>;
  /** Presses the platform's own Stop for what runs now. */
  stop(person: ContractPerson): Promise<void>;
  /** What the app has put here. */
  files(): Promise<readonly ContractFile[]>;
}

/**
 * An app that runs as processes, with an agent that follows the contract's script and keeps its sessions. Its workspace
 * is a scratch folder per conversation, it drains for at most 1 s, and sends and fetches files.
 */
export interface ContractApp {
  /** A conversation that nobody has used. */
  open(): ContractChat;
  /** A person's id on the platform. */
  idOf(person: ContractPerson): string;
  /** What has reached its agents since its first start. */
  readonly record: readonly RecordEntry[];
  /** Process of the agent that was started last. */
  readonly agentPid: number;
  /** All that its processes have printed. */
  readonly output: string;
  /** Tokens and keys that it was given. */
  readonly secrets: readonly string[];
  /** Its processes that still run, agents included. */
  orphans(): Promise<readonly unknown[]>;
  /** Lets another generation take over; resolves when it alone takes what comes. */
  handOver(): Promise<void>;
  /** Ends it as an operator does. Resolves with its exit code. */
  stop(): Promise<unknown>;
  /** Kills all of its own processes at once. */
  kill(): Promise<void>;
  /** Starts it again, on what it has kept. */
  restart(): Promise<void>;
}

/** How long what a scenario waits for may take, in milliseconds, on a machine that has other things to do. */
export const CONTRACT_DEADLINE_MS = 40_000;

/** Waits until `person` sees what `condition` looks for, and fails with what they see instead. */
export async function seen(
  chat: ContractChat,
  person: ContractPerson,
  condition: string | RegExp | ((text: string) => boolean),
): Promise<string> {
  const holds = (text: string) => {
    if (typeof condition === "string") return text.includes(condition);
    return condition instanceof RegExp ? condition.test(text) : condition(text);
  };
  const look = () => (holds(chat.see(person)) ? { text: chat.see(person) } : undefined);
  try {
    return (await waitFor(`${person} to see ${condition}`, look, CONTRACT_DEADLINE_MS)).text;
  } catch (cause) {
    const now = JSON.stringify(chat.see(person));
    throw new Error(`${(cause as Error).message} They see ${now}.`, { cause });
  }
}

/** What the agent answers to a message with this word in it, when no scenario has other plans for it. */
export function echoOf(word: string): RegExp {
  return new RegExp(`heard[\\s\\S]*${word}`);
}
