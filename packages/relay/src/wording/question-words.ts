import type { PermissionEnd, PermissionOption } from "@acp-kit/router";
import { MAX_TITLE_CODE_POINTS, oneLine } from "./one-line.ts";
import { showInvisible } from "./show-invisible.ts";

const headings: ReadonlyMap<string, string> = new Map([
  ["read", "Read this?"],
  ["edit", "Change this?"],
  ["delete", "Delete this?"],
  ["move", "Move this?"],
  ["search", "Search for this?"],
  ["execute", "Run this?"],
  ["fetch", "Fetch this?"],
  ["switch_mode", "Switch the mode?"],
]);

/** What is asked, by the kind of tool. */
export function questionHeading(toolKind: string): string {
  return headings.get(toolKind) ?? "Allow this?";
}

const said: ReadonlyMap<string, string> = new Map([
  ["allow_once", "✓ allowed once"],
  ["allow_always", "✓ allowed always"],
  ["reject_once", "✗ refused"],
  ["reject_always", "✗ refused always"],
]);

/** How a choice is said once somebody made it, by the option's kind; `undefined` for a kind that only its name explains. */
export function saidOf(optionKind: string): string | undefined {
  return said.get(optionKind);
}

/** What was chosen, and for how long it holds. @param escapeLabel - For the agent's name of an option. */
export function describeChoice(
  answer: {
    readonly option?: PermissionOption;
    readonly remembered?: "now" | "before";
  },
  escapeLabel: (label: string) => string,
): string {
  const { option, remembered } = answer;
  if (remembered === "now") return "✓ allowed, from now on always for exactly this,";
  if (remembered === "before") return "✓ allowed as before";
  if (option === undefined) return "✓ answered";
  const name = showInvisible(oneLine(option.name, MAX_TITLE_CODE_POINTS));
  return saidOf(option.kind) ?? `✓ answered “${escapeLabel(name)}”`;
}

/**
 * How a question ended, without markup.
 *
 * @param said - What was chosen, see {@link describeChoice}.
 * @param by - Who decided, as the app names people; `undefined` for nobody.
 */
export function describeAnswer(end: PermissionEnd, said: string, by: string | undefined): string {
  switch (end) {
    case "selected":
      return `${said} by ${by ?? "the relay's rules"}`;
    case "cancelled":
      return by === undefined ? "✗ the question was withdrawn" : `✗ refused by ${by}`;
    case "expired":
      return "✗ nobody answered in time, so the agent was told no";
  }
}

/** Of a question of which the agent has only told in words what it would do. */
export const SUBJECT_IN_WORDS =
  "⚠️ Those are the agent's own words; it did not say what it would really do.";
