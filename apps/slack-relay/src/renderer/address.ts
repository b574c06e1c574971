/** Longest end of a link's label that is searched for names of hosts, in UTF-16 units. */
const MAX_LABEL = 300;

/** The host that an address leads to, empty for one of mail; `undefined` when it is none of the two. */
export function hostOf(url: string): string | undefined {
  if (/^mailto:/i.test(url)) return "";
  if (!/^https?:\/\/[^\s/?#\\&<>]+(?:[/?#]|$)/i.test(url)) return undefined;
  return URL.parse(url)?.host || undefined;
}

const hostLike = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}/gu;

/** Whether a label names no host but the one that its link leads to. */
export function isHonestLabel(label: string, host: string): boolean {
  if (label.length > MAX_LABEL) return false;
  const plain = label.normalize("NFKC").replace(/\p{Cf}/gu, "");
  return (plain.match(hostLike) ?? []).every((name) => {
    const said = (URL.parse(`https://${name}`)?.hostname ?? name).replace(/^www\./, "");
    return host === said || host.endsWith(`.${said}`);
  });
}

/** What a label has to be followed by, so that it hides nothing: the real host, or nothing. */
export function honestyOf(label: string, url: string): string {
  const host = hostOf(url);
  if (host === undefined || isHonestLabel(label, host)) return "";
  return host === "" ? " (mail)" : ` (${host})`;
}
