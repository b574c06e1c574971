import type { RouterConfig, SendPolicy } from "@acp-kit/router";
import type { Downloads } from "@acp-kit/router/attachments";
import type { Config } from "../config/schema.ts";
import type { SurfaceBot } from "../surface.ts";
import { SURFACE_FILES, type SurfaceFiles } from "./surface-files.ts";

type Surface = keyof typeof SURFACE_FILES;

export type FilesOptions = {
  readonly attachments: Config["attachments"];
  /** The bot of a conversation. */
  readonly botOf: (conversation: string) => SurfaceBot;
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

/** Each surface fetches from its own platform's hosts and from those of the configuration. */
export function createFiles({ attachments, botOf }: FilesOptions): Files {
  const downloads = new Map<Surface, Promise<Downloads>>();
  const surfaceOf = (conversation: string): Surface => botOf(conversation).settings.surface;

  /** Made for the first file of a surface: an HTTP client is a lot to load. */
  const downloadsOf = (surface: Surface): Promise<Downloads> => {
    const made = downloads.get(surface) ?? createSurfaceDownloads(attachments, surface);
    downloads.set(surface, made);
    return made;
  };
  return {
    routerConfig: {
      maxInlineImageBytes: attachments.maxInlineImageBytes,
      maxAttachmentBytes: attachments.maxBytes,
      attachmentQuotaBytes: attachments.quotaBytes,
      attachmentTtlMs: attachments.ttlDays * DAY_MS,
      downloads: (conversation) => ({
        fetch: async (request) => (await downloadsOf(surfaceOf(conversation))).fetch(request),
      }),
      sending: (conversation) =>
        sendPolicyOf(attachments.send, SURFACE_FILES[surfaceOf(conversation)]),
    },
    async [Symbol.asyncDispose]() {
      for (const one of downloads.values()) await (await one)[Symbol.asyncDispose]();
    },
  };
}

async function createSurfaceDownloads(
  { hosts, proxy }: Config["attachments"],
  surface: Surface,
): Promise<Downloads> {
  const { createDownloads } = await import("@acp-kit/router/attachments");
  return createDownloads({
    hosts: [...SURFACE_FILES[surface].hosts, ...hosts],
    ...(proxy !== undefined && { proxy }),
  });
}

/** The smaller of what the platform takes and the operator allows. */
function sendPolicyOf(
  send: Config["attachments"]["send"],
  { directive, maxFiles, maxFileBytes }: SurfaceFiles,
): SendPolicy | undefined {
  if (!send.allow) return undefined;
  return {
    directive,
    deny: send.deny,
    maxFiles: Math.min(send.maxFiles, maxFiles),
    maxFileBytes: Math.min(send.maxBytes, maxFileBytes),
  };
}
