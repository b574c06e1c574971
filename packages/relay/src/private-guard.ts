import { createHash, timingSafeEqual } from "node:crypto";

/** What the guard of a TCP listener knows of itself. */
export type GuardOptions = {
  /** The bytes of `Host` under which the listener may be called: host and port, compared exactly. */
  readonly hosts: readonly string[];
  readonly token: string;
};

/** Why a request is turned away before any other work: 403 for what no client of ours sends, 401 for the token. */
export type Refusal = { readonly status: 401 | 403; readonly text: string };

/** Headers that a proxy adds. A request that came through one did not come from this machine's user. */
const forwarding =
  /^(?:x-forwarded-.*|forwarded|x-real-ip|x-client-ip|x-original-.*|true-client-ip|cf-connecting-ip|via)$/;

/**
 * Looks at a request of the private TCP listener, which any process and any web page on this machine can reach.
 *
 * A page is kept out by `Host` (a name that was rebound to this address), `Origin` and `Sec-Fetch-Site` (a page of
 * another origin; `same-site` is another port of this machine); everybody by the token.
 *
 * @see https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
export function checkPrivateRequest(headers: Headers, options: GuardOptions): Refusal | undefined {
  const host = headers.get("host") ?? "";
  if (!options.hosts.includes(host)) return { status: 403, text: "wrong host" };
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) return { status: 403, text: "wrong origin" };
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") {
    return { status: 403, text: "wrong site" };
  }
  if ([...headers.keys()].some((name) => forwarding.test(name))) {
    return { status: 403, text: "forwarded requests are not served" };
  }
  const given = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return isSameSecret(given, options.token) ? undefined : { status: 401, text: "unauthorized" };
}

/** Compares in a time that says nothing about where two texts differ, nor about their lengths. */
function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const digest = (text: string) => createHash("sha256").update(text).digest();
