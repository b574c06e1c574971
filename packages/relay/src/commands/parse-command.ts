import { distance } from "fastest-levenshtein";
import { COMMANDS, type Command, type CommandName } from "./command-table.ts";

/** What a message says to the relay. */
export type ParsedCommand =
  | { readonly kind: "command"; readonly name: CommandName; readonly argument: string }
  /** Words stand behind a command that takes none. */
  | { readonly kind: "misused"; readonly name: CommandName }
  /**
   * No command of the relay. It may be one of the agent's: `text` is how the agent would read it.
   *
   * `isOurs`: behind `!` and alone, or close to one of ours: if it is none of the agent's either, whoever wrote it wants
   * to be told rather than have it sent.
   */
  | {
      readonly kind: "unknown";
      readonly verb: string;
      readonly text: string;
      readonly nearest: CommandName | undefined;
      readonly isOurs: boolean;
    };

const byWord = new Map<string, Command & { readonly name: CommandName }>(
  COMMANDS.flatMap((command) =>
    [command.name, ...command.aliases].map((word) => [word, command] as const),
  ),
);

/** Longest message that is read as a command, in characters: nothing that a command takes is longer. */
const MAX_CHARS = 2_000;

/** Invisible characters that keyboards and copying leave at the ends of a text. */
const INVISIBLE = "\\s\\u200b-\\u200f\\u2060\\ufe0f\\ufeff";
const ends = new RegExp(`^[${INVISIBLE}]+|[${INVISIBLE}]+$`, "gu");

/** A sigil (the wide one is that of CJK keyboards), a verb, the full stop that phones make of two spaces, the rest. */
const shape = /^([!/.\uff01])([\p{L}\p{M}][\p{L}\p{M}\p{Nd}_-]{0,39})(?:[.!?\u2026]*|\s+(\S.*))$/su;

const quotes = /^["'\u2018-\u201f\u00ab\u00bb`](.*)["'\u2018-\u201f\u00ab\u00bb`]$/su;

/**
 * Reads a message as a command: `!`, `/` or `.` and a verb, whatever a phone's keyboard makes of it. Arguments keep their
 * case. `undefined`: it is ordinary text. Depends on nothing but the text, so that a message that comes again in a
 * platform's transcript is read the same way. Pure.
 */
export function parseCommand(message: string): ParsedCommand | undefined {
  if (message.length > MAX_CHARS) return undefined;
  const text = message.replace(ends, "");
  if (text === ".") return { kind: "command", name: "continue", argument: "" };
  const [, mark, written = "", rest = ""] = shape.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const isPlain = mark === "/" || mark === ".";
  const verb = foldWord(written);
  const command = byWord.get(verb);
  if (command) {
    const { name, takes } = command;
    if (rest === "" || takes !== "") return { kind: "command", name, argument: unquote(rest) };
    // A file's or a folder's name may begin like this; behind `!` nothing does.
    return isPlain ? undefined : { kind: "misused", name };
  }
  if (mark === ".") return undefined;
  const nearest = nearestTo(verb);
  const isOurs = !isPlain && (rest === "" || nearest !== undefined);
  const asAgents = `/${written}${rest === "" ? "" : ` ${rest}`}`;
  return { kind: "unknown", verb: written, text: asAgents, nearest, isOurs };
}

/** Whether a message of a transcript was for the relay, and what follows it is the relay's own. Pure. */
export function isAside(message: string): boolean {
  const parsed = parseCommand(message);
  return parsed !== undefined && (parsed.kind !== "unknown" || parsed.isOurs);
}

/** Case, wide letters and the accents and dots that keyboards add are no difference. */
function foldWord(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function unquote(text: string): string {
  return (quotes.exec(text)?.[1] ?? text).trim();
}

/** The command that is closest, where it is close: one slip in a short word, two in a longer one. */
function nearestTo(verb: string): CommandName | undefined {
  const slips = verb.length <= 4 ? 1 : 2;
  const [best] = [...byWord]
    .filter(([word]) => word.length > 1)
    .map(([word, { name }]) => ({ name, apart: distance(verb, word) }))
    .filter(({ apart }) => apart <= slips)
    .sort((a, b) => a.apart - b.apart);
  return best?.name;
}
