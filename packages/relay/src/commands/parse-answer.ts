import type { PermissionOption } from "@acp-kit/router";
import { parseCommand } from "./parse-command.ts";

/**
 * What a message says to an open question.
 *
 * - `option`: it chooses this one.
 * - `none`: it refuses, and no option of the question says so.
 * - `unclear`: it is an answer, but to none of the options: a number that is not there, a yes to several.
 * - `other`: it is no answer.
 */
export type Answer =
  | { readonly kind: "option"; readonly option: string }
  | { readonly kind: "none" }
  | { readonly kind: "unclear" }
  | { readonly kind: "other" };

const YES = new Set(
  "y yes yep yeah ok okay sure ja oui si sí sim да はい 是 allow approve".split(" "),
);
const NO = new Set("n no nope nein non não нет いいえ 否 stop deny reject cancel".split(" "));

/** `1`, `2.`, `#3`, `4)`. */
const NUMBER = /^#?(\d{1,2})[.)]?$/;

/** Reads a message as the answer to a question with these options, which people see numbered from 1. Pure. */
export function parseAnswer(text: string, options: readonly PermissionOption[]): Answer {
  const word = text.trim();
  const [, number] = NUMBER.exec(word) ?? [];
  if (number !== undefined) return optionAt(options, number);
  const verdict = verdictOf(text);
  if (verdict?.name === "no") return refusal(options);
  if (verdict) {
    return verdict.argument === "" ? consent(options) : optionAt(options, verdict.argument);
  }
  const plain = word.toLowerCase().replace(/[.!]+$/, "");
  if (YES.has(plain)) return consent(options);
  return NO.has(plain) ? refusal(options) : { kind: "other" };
}

/** True for what nobody would write but to answer a numbered question: `2`, `!yes 1`, `!no`. */
export function isBareAnswer(text: string): boolean {
  return NUMBER.test(text.trim()) || isVerdict(text);
}

/** `!yes` or `!no`: never meant for the agent. */
export function isVerdict(text: string): boolean {
  return verdictOf(text) !== undefined;
}

function verdictOf(text: string): { name: "yes" | "no"; argument: string } | undefined {
  const parsed = parseCommand(text);
  if (parsed?.kind !== "command" || (parsed.name !== "yes" && parsed.name !== "no"))
    return undefined;
  return { name: parsed.name, argument: parsed.argument };
}

/** The refusal that a question offers for this time; what goes beyond is nobody's to choose by the way. */
export function refusal(options: readonly PermissionOption[]): Answer {
  const option = options.find(({ kind }) => kind === "reject_once");
  return option ? { kind: "option", option: option.id } : { kind: "none" };
}

/** A plain yes never grants more than this one time. */
function consent(options: readonly PermissionOption[]): Answer {
  const [option, ...others] = options.filter(({ kind }) => kind === "allow_once");
  return option && others.length === 0
    ? { kind: "option", option: option.id }
    : { kind: "unclear" };
}

function optionAt(options: readonly PermissionOption[], number: string): Answer {
  const option = options[Number(number) - 1];
  return option ? { kind: "option", option: option.id } : { kind: "unclear" };
}
