const OPENING = /^\s*<@([UW][A-Z0-9]+)(?:\|[^>]*)?>[\s,:]*/;

/** Whether a text, as the platform sends it, mentions this user anywhere. */
export function hasMention(text: string, user: string): boolean {
  return text.includes(`<@${user}>`) || text.includes(`<@${user}|`);
}

/** Whom a text opens with, if anybody. */
export function openingMention(text: string): string | undefined {
  return OPENING.exec(text)?.[1];
}

/** The text without this user's mention at its start; the others say something and stay. */
export function stripOpeningMention(text: string, user: string): string {
  return openingMention(text) === user ? text.replace(OPENING, "") : text;
}

const ANY = /<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g;

/** Everybody whom a text mentions, each once. */
export function findMentions(text: string): readonly string[] {
  return [...new Set([...text.matchAll(ANY)].map(([, user = ""]) => user))];
}
