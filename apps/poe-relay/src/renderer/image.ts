import { isListedHost } from "@acp-kit/router";
import { escapeUrl, findDestination, type Link, MAX_LINK } from "./link.ts";

/** Longest description that is looked at, in UTF-16 units. */
const MAX_DESCRIPTION = 300;

/** A description in which nothing is markup, and the address behind it. */
const beginning = /!\[([^\\[\]`<&*_~|-]*)(?:(\]\()|$|\]$)/y;

/**
 * An image that may be shown as one, from its `![` on; `undefined` for any other, which becomes a link. Only over HTTPS,
 * and only of hosts that the operator has named: whoever shows it tells its host that it was shown, and to whom.
 *
 * @param at - Where the `![` is.
 * @param running - The line may go on.
 */
export function renderImage(
  line: string,
  at: number,
  running: boolean,
  hosts: readonly string[],
): Link | "unfinished" | undefined {
  if (hosts.length === 0) return undefined;
  beginning.lastIndex = 0;
  const match = beginning.exec(line.slice(at, at + MAX_DESCRIPTION));
  if (!match) return undefined;
  const [whole, description = "", opened] = match;
  if (opened === undefined) return running && endsWith(line, at, whole) ? "unfinished" : undefined;
  const from = at + whole.length;
  const rest = line.slice(from, from + MAX_LINK);
  const found = findDestination(rest);
  if (found === "unfinished") {
    return running && endsWith(line, from, rest) ? "unfinished" : undefined;
  }
  const url = found && URL.parse(found.url);
  if (!found || url?.protocol !== "https:" || !isListedHost(url.hostname, hosts)) return undefined;
  return { text: `![${description}](${escapeUrl(url.href)})`, end: from + found.end };
}

/** Whether a line ends with what was found at a place of it. */
function endsWith(line: string, at: number, found: string): boolean {
  return at + found.length === line.length;
}
