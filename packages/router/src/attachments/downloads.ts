import { isIP } from "node:net";
import { Agent, type Dispatcher, ProxyAgent, request } from "undici";
import { checkUrl, isListedHost, mayCarryToken, type UrlPolicy } from "./check-url.ts";
import { AttachmentError } from "./errors.ts";
import { type AddressGuard, createGuardedConnector } from "./guarded-connector.ts";

/** What may be fetched, from where, and for how long. Nothing of it is read from the environment. */
export type DownloadPolicy = UrlPolicy &
  AddressGuard & {
    /** A proxy that resolves names by itself: behind it only hosts that `hosts` names are fetched, `*` names none. */
    readonly proxy?: string;
    /** Until a response has begun, redirects included. Default 30 s. */
    readonly beginMs?: number;
    /** Until a body is complete. Default 5 min. */
    readonly totalMs?: number;
    /** Between two pieces of a body. Default 30 s. */
    readonly pauseMs?: number;
    /** A token also goes without TLS to `localhost` and loopback addresses that `hosts` lists; with a guard that allows only those. */
    readonly sendsTokenToLoopback?: true;
  };

/** What one request may add. */
export type DownloadRequest = {
  readonly url: string;
  /** Sent over TLS, to the URL's own host if the policy names it, and to nobody else. */
  readonly bearer?: string;
  /** Largest body that is taken, in bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
};

/** A response whose body has not been read yet; disposing it ends a connection whose body nobody reads. */
export type Download = AsyncDisposable & {
  /** As the server said; empty when it did not. */
  readonly contentType: string;
  /** What the file is called where it comes from, when that was not known before. */
  readonly name?: string;
  /** Throws AttachmentError `too-large`, `timeout`, `network`, `stopped`. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** Fetches files under one policy. */
export interface Downloads extends AsyncDisposable {
  /**
   * Every hop of a redirect is checked like the first.
   *
   * @throws AttachmentError with any code of a fetch
   */
  fetch(request: DownloadRequest): Promise<Download>;
}

const MAX_REDIRECTS = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches files over HTTPS from public hosts that the policy allows. Every hop of at most five redirects is checked, and
 * every address that a connection really goes to. To be disposed.
 */
export function createDownloads(policy: DownloadPolicy): Downloads {
  const { beginMs = 30_000, totalMs = 300_000, pauseMs = 30_000 } = policy;
  const timeouts = { headersTimeout: beginMs, bodyTimeout: pauseMs };
  const dispatcher: Dispatcher = policy.proxy
    ? new ProxyAgent({ uri: policy.proxy, proxyTunnel: true, ...timeouts })
    : new Agent({ connect: createGuardedConnector(policy), ...timeouts });

  /** Follows redirects to the response that has the body. */
  async function begin(wanted: DownloadRequest, signal: AbortSignal) {
    let url = checkUrl(wanted.url, policy);
    const { origin } = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      if (policy.proxy) checkBehindProxy(url, policy.hosts);
      const carries =
        wanted.bearer !== undefined && url.origin === origin && mayCarryToken(url, policy);
      const response = await request(url, {
        dispatcher,
        signal,
        // Compressed bytes would hide the size of a file, and be saved as they are.
        headers: {
          "accept-encoding": "identity",
          ...(carries ? { authorization: `Bearer ${wanted.bearer}` } : {}),
        },
      });
      if (!redirects.has(response.statusCode)) return { url, response };
      drop(response.body);
      const target = header(response.headers["location"]);
      if (target === "") break;
      url = checkUrl(target, policy, url);
    }
    throw new AttachmentError(`The host "${url.hostname}" redirected the request too often.`, {
      code: "redirects",
    });
  }

  return {
    async fetch(wanted) {
      const total = AbortSignal.timeout(totalMs);
      const stopped = wanted.signal ? [wanted.signal] : [];
      const life = new AbortController();
      const signal = AbortSignal.any([total, life.signal, ...stopped]);
      // The timer of the beginning ends with it: a signal of its own would cut the body as well.
      const timer = setTimeout(() => life.abort(timedOut()), beginMs);
      try {
        const { url, response } = await begin(wanted, signal);
        const { statusCode, headers, body } = response;
        try {
          checkResponse(url, statusCode, headers, wanted.maxBytes);
        } catch (error) {
          drop(body);
          throw error;
        }
        return {
          contentType: header(headers["content-type"]),
          body: readBody(body, wanted),
          async [Symbol.asyncDispose]() {
            drop(body);
          },
        };
      } catch (error) {
        throw asAttachmentError(error, wanted.signal);
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
    },
  };
}

async function* readBody(
  body: Body,
  { maxBytes, signal }: DownloadRequest,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw asAttachmentError(error, signal);
  } finally {
    drop(body);
  }
}

type Body = Dispatcher.ResponseData["body"];

/** Ends a body that may not be complete. */
function drop(body: Body): void {
  // Ending it early is an error to the body, and here it is meant.
  body.on("error", () => {}).destroy();
}

function checkResponse(
  url: URL,
  status: number,
  headers: Dispatcher.ResponseData["headers"],
  maxBytes: number,
): void {
  if (status < 200 || status > 299) {
    throw new AttachmentError(`The host "${url.hostname}" answered ${status}.`, { code: "status" });
  }
  const encoding = header(headers["content-encoding"]);
  if (encoding !== "" && encoding.toLowerCase() !== "identity") {
    throw new AttachmentError(`The host "${url.hostname}" sent a compressed body.`, {
      code: "encoding",
    });
  }
  if (Number(header(headers["content-length"])) > maxBytes) throw tooLarge(maxBytes);
}

/** The proxy resolves the name, so nobody here can check the address: only what the operator has named passes. */
function checkBehindProxy(url: URL, hosts: readonly string[]): void {
  const named = hosts.filter((entry) => entry !== "*");
  const isAddress = isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0;
  if (!isAddress && isListedHost(url.hostname, named)) return;
  throw new AttachmentError(
    `The host "${url.hostname}" is not named in the list of hosts, as it has to be behind a proxy.`,
    { code: "host" },
  );
}

function header(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

function tooLarge(maxBytes: number): AttachmentError {
  return new AttachmentError(`The file is larger than ${maxBytes} bytes.`, { code: "too-large" });
}

function timedOut(): AttachmentError {
  return new AttachmentError("The download took too long.", { code: "timeout" });
}

function asAttachmentError(error: unknown, stop: AbortSignal | undefined): AttachmentError {
  if (error instanceof AttachmentError) return error;
  if (stop?.aborted) return new AttachmentError("The download was stopped.", { code: "stopped" });
  const { name, code } = error as { name?: string; code?: string };
  if (name === "TimeoutError" || code?.endsWith("_TIMEOUT")) return timedOut();
  return new AttachmentError(`The download failed${code ? ` (${code})` : ""}.`, {
    code: "network",
    cause: error,
  });
}
