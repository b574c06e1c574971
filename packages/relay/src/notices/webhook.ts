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
  /** What tells the relays of an operator apart. */
  readonly source: string;
  readonly lookup?: LookupFunction;
  /** Further certificates to trust, for tests. */
  readonly ca?: string;
};

const TIMEOUT_MS = 10_000;

/**
 * Posts each notice as `{kind, text, at, source}`, and as `content` what chat platforms' own webhooks show. The name is
 * resolved once and the checked address is the one that is called; redirects are not followed.
 */
export function createWebhook(options: WebhookOptions): NoticeSink {
  const { url, allowPrivate, source, ca, lookup = systemLookup as LookupFunction } = options;
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);
  const { hostname } = new URL(url);
  return ({ kind, text, at }) => {
    const literal = hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !isAllowed(literal)) {
      return Promise.reject(new Error("the webhook is at an address that may not be contacted"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const words = `${source}: ${text}`;
    const body = JSON.stringify({
      kind,
      text: words,
      content: words,
      at: new Date(at).toISOString(),
      source,
    });
    const call = request(url, {
      method: "POST",
      agent: false,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      lookup: createGuardedLookup(lookup, isAllowed),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(ca !== undefined && { ca }),
    });
    call.on("error", reject);
    call.on("response", (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`the webhook answered with status ${statusCode}`));
    });
    call.end(body);
    return promise;
  };
}
