import { lookup as systemLookup } from "node:dns";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createGuardedLookup, isPublicAddress } from "@acp-kit/router/attachments";
import type { NoticeSink } from "./notices.ts";

export type WebhookOptions = {
  /** `https:` only. */
  readonly url: string;
  /** Also when it is at an address of a private network. */
  readonly allowPrivate: boolean;
  /** What is fetched goes through a proxy: the webhook too, unless it may be at a private address. */
  readonly isProxied?: boolean;
  /** What tells the relays of an operator apart. */
  readonly source: string;
  readonly lookup?: LookupFunction;
  /** Further certificates to trust, for tests. */
  readonly ca?: string;
};

const TIMEOUT_MS = 10_000;

const HEADERS = { "content-type": "application/json" };

/**
 * Posts each notice as `{kind, text, at, source}`, and as `content` what chat platforms' own webhooks show. The name is
 * resolved once and the checked address is the one that is called, but for a proxy, which resolves it itself; an address
 * in its place is checked either way. Redirects are not followed.
 */
export function createWebhook(options: WebhookOptions): NoticeSink {
  const { url, allowPrivate, isProxied = false, source } = options;
  const isByProxy = isProxied && !allowPrivate;
  const literal = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const isRefused = !allowPrivate && isIP(literal) !== 0 && !isPublicAddress(literal);
  return async ({ kind, text, at }) => {
    if (isRefused) throw new Error("the webhook is at an address that may not be contacted");
    const words = `${source}: ${text}`;
    const body = JSON.stringify({
      kind,
      text: words,
      content: words,
      at: new Date(at).toISOString(),
      source,
    });
    const status = await (isByProxy ? postByProxy(url, body) : post(options, body));
    if (status < 200 || status >= 300) {
      throw new Error(`the webhook answered with status ${status}`);
    }
  };
}

/** Resolves with the status. */
async function postByProxy(url: string, body: string): Promise<number> {
  const response = await fetch(url, {
    ...{ method: "POST", headers: HEADERS, body, redirect: "manual" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status;
}

/** The same to an address that was checked. */
async function post(
  { url, allowPrivate, ca, lookup = systemLookup as LookupFunction }: WebhookOptions,
  body: string,
): Promise<number> {
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);
  const call = request(url, {
    method: "POST",
    agent: false,
    headers: { ...HEADERS, "content-length": Buffer.byteLength(body) },
    lookup: createGuardedLookup(lookup, isAllowed),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(ca !== undefined && { ca }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  call.on("error", reject);
  call.on("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  call.end(body);
  return await promise;
}
