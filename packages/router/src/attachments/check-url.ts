import { AttachmentError } from "./errors.ts";

/** Which URLs may be fetched. */
export type UrlPolicy = {
  /** Exact names, `*.example.com` for every name below one, or `*` for every public host. An empty list is no host. */
  readonly hosts: readonly string[];
  /** With the colon. Default: `https:`. */
  readonly schemes?: readonly string[];
  /** Default: the scheme's own. */
  readonly ports?: readonly number[];
};

const schemePorts: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

/**
 * Reads a URL that came from outside and says whether it may be fetched, by its text alone.
 *
 * @param base - The URL that a redirect came from.
 * @throws AttachmentError `url`, `host`
 */
export function checkUrl(text: string, policy: UrlPolicy, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw new AttachmentError("This is no URL.", { code: "url" });
  const { protocol, username, password } = url;
  if (!(policy.schemes ?? ["https:"]).includes(protocol) || !(protocol in schemePorts)) {
    throw new AttachmentError(`URLs with "${protocol}" are not fetched.`, { code: "url" });
  }
  if (username !== "" || password !== "") {
    throw new AttachmentError("URLs with a user name or password are not fetched.", {
      code: "url",
    });
  }
  const own = schemePorts[protocol] ?? 0;
  const port = url.port === "" ? own : Number(url.port);
  if (!(policy.ports ?? [own]).includes(port)) {
    throw new AttachmentError(`Port ${port} is not contacted.`, { code: "url" });
  }
  if (!isListedHost(url.hostname, policy.hosts)) {
    throw new AttachmentError(`The host "${url.hostname}" is not on the list of hosts.`, {
      code: "host",
    });
  }
  return url;
}

/** Whether a host is named by a list, or stands below a name of it. */
export function isListedHost(host: string, list: readonly string[]): boolean {
  const name = withoutFinalDot(host.toLowerCase());
  return list.some((entry) => {
    const listed = withoutFinalDot(entry.toLowerCase());
    if (listed === "*") return true;
    return listed.startsWith("*.") ? name.endsWith(listed.slice(1)) : name === listed;
  });
}

/**
 * Whether a bearer token may go with a request: only over TLS, and only to a host that the list names. `*` names none.
 *
 * @param policy.sendsTokenToLoopback - Without TLS as well, to an address of this machine that the list names.
 */
export function mayCarryToken(
  url: URL,
  { hosts, sendsTokenToLoopback }: Pick<UrlPolicy, "hosts"> & { sendsTokenToLoopback?: true },
): boolean {
  const named = hosts.filter((entry) => entry !== "*");
  const isPrivate =
    url.protocol === "https:" ||
    (sendsTokenToLoopback === true &&
      /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname));
  return isPrivate && isListedHost(url.hostname, named);
}

function withoutFinalDot(host: string): string {
  return host.replace(/\.$/, "");
}
