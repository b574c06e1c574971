import {
  AttachmentError,
  checkUrl,
  createDownloads,
  type Download,
  type DownloadRequest,
  type Downloads,
  isListedHost,
} from "@acp-kit/router/attachments";
import { z } from "zod";
import { type Clock, systemClock } from "../budget/clock.ts";
import { fileSchema } from "../intake/event-schema.ts";
import type { SlackFileReference } from "../intake/heard.ts";
import { createSlackCaller } from "../slack-caller.ts";
import { describeFile } from "./describe-file.ts";
import { findFileId, parseFileAddress } from "./file-address.ts";
import { fileHostsOf } from "./file-hosts.ts";

export type SlackDownloadsOptions = {
  /** The bot's. It goes to the platform's own hosts, see `fileHostsOf`, and along no redirect to another one. */
  readonly token: string;
  /** With a slash at its end. Slack's own by default. */
  readonly apiUrl?: string | undefined;
  /** More hosts that files may come from, without the token. */
  readonly hosts?: readonly string[];
  readonly proxy?: string | undefined;
  readonly clock?: Clock;
};

/** What files.info may be asked again, when it is limited. */
const TRIES = 3;

const infoSchema = z.object({ file: fileSchema });

/**
 * Fetches the files of Slack's messages: at the URL of the message's event, or, for an address of `attachmentsOf`, at
 * the one that the platform names when it is asked. What cannot be had is `unavailable`, with a reason for people; it
 * names the scope that is missing. To be disposed.
 */
export function createSlackDownloads(options: SlackDownloadsOptions): Downloads {
  const { token, apiUrl, hosts = [], proxy, clock = systemClock } = options;
  const call = createSlackCaller({ token, ...(apiUrl !== undefined && { apiUrl }) });
  const own = fileHostsOf(apiUrl);
  const way = proxy === undefined ? {} : { proxy };
  const slack = createDownloads({ ...own, ...(own.sendsTokenToLoopback ? {} : way) });
  const elsewhere = createDownloads({ hosts, ...way });

  /** What the platform says of a file now. */
  async function look(id: string, signal: AbortSignal | undefined): Promise<SlackFileReference> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await call("files.info", { file: id });
      switch (result.kind) {
        case "ok": {
          const parsed = infoSchema.safeParse(result.body);
          if (!parsed.success) throw unavailable("Slack says nothing of it");
          const file = describeFile({ ...parsed.data.file, file_access: undefined });
          if (file.unavailable !== undefined) throw unavailable(file.unavailable);
          return file;
        }
        case "refused":
          throw unavailable(explainRefusal(result.error));
        case "unknown":
          throw new AttachmentError("files.info was not answered.", { code: "network" });
        case "limited":
          if (attempt === TRIES) throw unavailable("Slack has been asked too often");
          await pause(clock, result.retryAfterMs, signal);
      }
    }
  }

  async function fetchAt(url: string, request: DownloadRequest): Promise<Download> {
    const host = URL.parse(url)?.hostname ?? "";
    if (isListedHost(host, own.hosts)) {
      const download = await slack.fetch({ ...request, url, bearer: token });
      return await refusePage(download, url, request);
    }
    if (isListedHost(host, hosts)) return await elsewhere.fetch({ ...request, url });
    // What an agent may not be told of is refused as such.
    checkUrl(url, { hosts: ["*"] });
    throw unavailable(`it is kept outside of Slack, at ${host}`);
  }

  /** Who may not have a file gets the page for signing in, and status 200. Only the platform can tell it from a file. */
  async function refusePage(
    download: Download,
    url: string,
    { signal }: DownloadRequest,
  ): Promise<Download> {
    if (!isPage(download.contentType)) return download;
    try {
      const id = findFileId(url);
      const file = id === undefined ? undefined : await look(id, signal);
      if (file && isPage(file.contentType) && file.renditionUrl !== url) return download;
      throw unavailable("Slack gave a page for signing in instead; is files:read granted?");
    } catch (error) {
      await download[Symbol.asyncDispose]();
      throw error;
    }
  }

  return {
    async fetch(request) {
      const address = parseFileAddress(request.url);
      if (!address) return await fetchAt(request.url, request);
      const file = await look(address.id, request.signal);
      const url = address.isRendition ? file.renditionUrl : file.url;
      if (url === undefined) throw unavailable("this app may not see it");
      const download = await fetchAt(url, request);
      return address.isRendition ? download : { ...download, name: file.name };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([slack[Symbol.asyncDispose](), elsewhere[Symbol.asyncDispose]()]);
    },
  };
}

function isPage(contentType: string): boolean {
  return /^text\/html\b/i.test(contentType);
}

const refusals: Readonly<Record<string, string>> = {
  file_deleted: "it was deleted",
  file_not_found: "it was deleted, or is nowhere that this app may see",
  missing_scope: "this app lacks the scope files:read",
  not_allowed_token_type: "Slack does not take this bot's token",
  account_inactive: "Slack does not take this bot's token any more",
  invalid_auth: "Slack does not take this bot's token any more",
  token_expired: "Slack does not take this bot's token any more",
  token_revoked: "Slack does not take this bot's token any more",
};

function explainRefusal(error: string): string {
  const known = Object.hasOwn(refusals, error) ? refusals[error] : undefined;
  return known ?? `Slack refused it (${/^[a-z_]{1,50}$/.test(error) ? error : "?"})`;
}

function unavailable(reason: string): AttachmentError {
  return new AttachmentError(`A file of Slack cannot be had: ${reason}.`, {
    code: "unavailable",
    reason,
  });
}

async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.after(ms, resolve);
  signal?.addEventListener("abort", () => resolve(), { once: true });
  if (signal?.aborted) resolve();
  await promise;
  if (signal?.aborted) throw new AttachmentError("The download was stopped.", { code: "stopped" });
}
