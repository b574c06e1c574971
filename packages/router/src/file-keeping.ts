import type { Downloads } from "./attachments/downloads.ts";
import { type AttachmentLimits, clampAttachmentLimits } from "./attachments/limits.ts";
import { sweepFiles } from "./attachments/sweep-files.ts";
import type { RouterConfig } from "./router.ts";
import { filesRoot } from "./workspaces.ts";

/** How often kept files are looked through for those whose time is over, in milliseconds. */
const SWEEP_MS = 3_600_000;

export type FileKeepingHost = {
  readonly sessionTtlMs: number;
  now(): number;
  failed(what: string, error: unknown): void;
};

/** What all conversations share about files: the limits, what fetches them, and that old ones go. */
export class FileKeeping implements AsyncDisposable {
  readonly limits: AttachmentLimits;
  readonly #config: Pick<RouterConfig, "downloads" | "stateDir">;
  readonly #host: FileKeepingHost;
  /** Made for the first file, where the config has none. */
  #downloads: Promise<Downloads> | undefined;
  #sweeping: Promise<void> | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(config: RouterConfig, host: FileKeepingHost) {
    this.#config = config;
    this.#host = host;
    const { limits, warnings } = clampAttachmentLimits(config, host.sessionTtlMs);
    this.limits = limits;
    for (const text of warnings) config.onReport?.({ kind: "clamped", text });
  }

  async downloadsFor(conversation: string): Promise<Pick<Downloads, "fetch">> {
    const configured = this.#config.downloads?.(conversation);
    if (configured) return configured;
    // Loaded late: it brings an HTTP client.
    this.#downloads ??= import("./attachments/index.ts").then(({ createDownloads }) =>
      createDownloads({ hosts: ["*"] }),
    );
    return this.#downloads;
  }

  /** Removes files whose time is over, now and then, also of conversations that nobody has come back to. */
  sweep(): void {
    const { now, failed } = this.#host;
    const at = now();
    if (this.#sweeping || at - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = at;
    this.#sweeping = sweepFiles(
      filesRoot(this.#config.stateDir),
      this.limits.attachmentTtlMs,
      at,
    ).then(
      () => this.#endSweep(),
      (error: unknown) => {
        this.#endSweep();
        failed("sweep files", error);
      },
    );
  }

  #endSweep(): void {
    this.#sweeping = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#downloads)?.[Symbol.asyncDispose]();
    await this.#sweeping;
  }
}
