import type { RouterConfig, SendPolicy } from "@acp-kit/router";
import type { Downloads } from "@acp-kit/router/attachments";
import type { Config } from "../config/schema.ts";
import type { SurfaceBot } from "../surface.ts";
import { SURFACE_FILES } from "./surface-files.ts";

/** What the operator has said about where files may come from. */
export type DownloadRules = {
  readonly hosts: readonly string[];
  readonly proxy: string | undefined;
};

/** Makes what fetches the files of one bot's messages. */
export type CreateDownloads = (
  bot: SurfaceBot,
  rules: DownloadRules,
) => Downloads | Promise<Downloads>;

export type FilesOptions = {
  readonly attachments: Config["attachments"];
  readonly proxy?: string | undefined;
  /** The bot of a conversation. */
  readonly botOf: (conversation: string) => SurfaceBot;
  /** Default: from the platform's own hosts and those of the configuration. */
  readonly createDownloads?: CreateDownloads | undefined;
};

/** Where files may come from, and which may leave. */
export type Files = AsyncDisposable & {
  /** The router's fields for files. */
  readonly routerConfig: Pick<
    RouterConfig,
    | "maxInlineImageBytes"
    | "maxAttachmentBytes"
    | "attachmentQuotaBytes"
    | "attachmentTtlMs"
    | "downloads"
    | "sending"
  >;
};

const DAY_MS = 24 * 3_600_000;

/** Each bot fetches from its own platform's hosts and from those of the configuration. */
export function createFiles({
  attachments,
  proxy,
  botOf,
  createDownloads = createPlainDownloads,
}: FilesOptions): Files {
  const rules = { hosts: attachments.hosts, proxy };
  const downloads = new Map<string, Promise<Downloads>>();

  /** Made for the first file of a bot: an HTTP client is a lot to load. */
  const downloadsOf = (bot: SurfaceBot): Promise<Downloads> => {
    const made = downloads.get(bot.name) ?? Promise.resolve(createDownloads(bot, rules));
    downloads.set(bot.name, made);
    return made;
  };
  return {
    routerConfig: {
      maxInlineImageBytes: attachments.maxInlineImageBytes,
      maxAttachmentBytes: attachments.maxBytes,
      attachmentQuotaBytes: attachments.quotaBytes,
      attachmentTtlMs: attachments.ttlDays * DAY_MS,
      downloads: (conversation) => ({
        fetch: async (request) => (await downloadsOf(botOf(conversation))).fetch(request),
      }),
      sending: (conversation) => sendPolicyOf(attachments.send, botOf(conversation).settings),
    },
    async [Symbol.asyncDispose]() {
      for (const one of downloads.values()) await (await one)[Symbol.asyncDispose]();
    },
  };
}

const createPlainDownloads: CreateDownloads = async ({ settings }, { hosts, proxy }) => {
  const { createDownloads } = await import("@acp-kit/router/attachments");
  return createDownloads({
    hosts: [...SURFACE_FILES[settings.surface].hosts, ...hosts],
    ...(proxy !== undefined && { proxy }),
  });
};

/** The smaller of what the platform takes and the operator allows. */
function sendPolicyOf(
  send: Config["attachments"]["send"],
  settings: SurfaceBot["settings"],
): SendPolicy | undefined {
  const isOff = settings.surface === "slack" && !settings.features.includes("files-out");
  if (!send.allow || isOff) return undefined;
  const { directive, maxFiles, maxFileBytes } = SURFACE_FILES[settings.surface];
  return {
    directive,
    deny: send.deny,
    maxFiles: Math.min(send.maxFiles, maxFiles),
    maxFileBytes: Math.min(send.maxBytes, maxFileBytes),
  };
}
