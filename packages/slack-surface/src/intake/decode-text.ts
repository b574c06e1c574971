/** Names for ids, as far as they are known. */
export type SlackNames = {
  readonly user?: (id: string) => string | undefined;
  readonly channel?: (id: string) => string | undefined;
};

const TOKEN = /<([^<>\n]*)>/g;

/**
 * What a person wrote, of what the platform makes of it: tokens in angle brackets become text or Markdown links, and
 * the three entities characters. Pure.
 */
export function decodeSlackText(text: string, names: SlackNames = {}): string {
  return text
    .split(TOKEN)
    .map((part, at) => (at % 2 === 0 ? decodeEntities(part) : decodeToken(part, names)))
    .join("");
}

/** `&lt;` and the like, each once. */
export function decodeEntities(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function decodeToken(token: string, names: SlackNames): string {
  const bar = token.indexOf("|");
  const target = bar < 0 ? token : token.slice(0, bar);
  const label = bar < 0 ? undefined : decodeEntities(token.slice(bar + 1));
  const id = target.slice(1);
  switch (target[0]) {
    case "@":
      return `@${names.user?.(id) ?? label ?? id}`;
    case "#":
      return `#${names.channel?.(id) ?? (label || id)}`;
    case "!":
      return decodeCommand(id, label);
    default:
      return decodeLink(decodeEntities(target), label);
  }
}

/** `<!here>`, `<!subteam^S1|@devs>`, `<!date^1392734382^{date}|soon>`. */
function decodeCommand(command: string, label: string | undefined): string {
  const [name = "", argument] = command.split("^");
  if (name === "subteam" || label !== undefined) {
    const shown = label || argument || name;
    return name === "date" || shown.startsWith("@") ? shown : `@${shown}`;
  }
  return name === "date" ? "" : `@${name}`;
}

function decodeLink(url: string, label: string | undefined): string {
  if (label === undefined || label === url) return url;
  const isOwnLabel = url === `mailto:${label}` || url === `tel:${label}`;
  if (isOwnLabel || (/^https?:\/\//.test(url) && stripScheme(url) === stripScheme(label)))
    return label;
  return `[${label.replaceAll(/[[\]]/g, "\\$&")}](${url})`;
}

function stripScheme(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/\/$/, "");
}
