import { readThread } from "./chat-methods.ts";
import { SlackFailure } from "./failure.ts";
import type { Methods } from "./method.ts";
import type { SlackFile } from "./records.ts";
import { describeFile, type Workspace } from "./workspace.ts";

const types: Readonly<Record<string, string>> = {
  csv: "text/csv",
  diff: "text/x-diff",
  heic: "image/heic",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain",
};

export const fileMethods: Methods = {
  "files.getUploadURLExternal": {
    rate: 4,
    scope: "files:write",
    formOnly: true,
    run(workspace, args) {
      const name = args.required("filename");
      const length = args.number("length", 0);
      if (!Number.isSafeInteger(length) || length <= 0) throw new SlackFailure("invalid_arguments");
      const id = workspace.id("F");
      const snippetType = args.text("snippet_type");
      workspace.uploads.set(id, { name, length, snippetType, bytes: undefined });
      return { upload_url: `${workspace.settings.url()}/upload/${id}`, file_id: id };
    },
  },
  "files.completeUploadExternal": {
    rate: 4,
    scope: "files:write",
    run(workspace, args) {
      const wanted = args.list("files", "invalid_arguments");
      if (wanted.length === 0) throw new SlackFailure("invalid_arguments");
      const channel = args.has("channel_id")
        ? workspace.writable(args.text("channel_id"))
        : undefined;
      const threadTs = channel && readThread(workspace, channel.id, args);
      const files = wanted.map(({ id, title }) => {
        const upload = workspace.uploads.get(String(id));
        if (!upload?.bytes) throw new SlackFailure("file_not_found");
        return createFile(workspace, {
          id: String(id),
          name: upload.name,
          title: typeof title === "string" ? title : upload.name,
          bytes: upload.bytes,
          user: workspace.settings.app.bot,
          ...(upload.snippetType !== "" && { snippetType: upload.snippetType }),
        });
      });
      for (const { id } of files) workspace.uploads.delete(id);
      if (channel) {
        const share = () => {
          const message = workspace.post({
            channel: channel.id,
            user: workspace.settings.app.bot,
            isFromApp: true,
            text: args.text("initial_comment"),
            threadTs,
            files,
          });
          shareFiles(workspace, files, channel.id, message.ts);
        };
        if (workspace.settings.fileShareMs <= 0) share();
        else workspace.clock.after(workspace.settings.fileShareMs, share);
      }
      // Where they were shared, and when, is not known yet.
      return { files: files.map(({ id, title }) => ({ id, title })) };
    },
  },
  "files.info": {
    rate: 4,
    scope: "files:read",
    formOnly: true,
    run(workspace, args) {
      const file = workspace.files.get(args.required("file", "file_not_found"));
      if (!file) throw new SlackFailure("file_not_found");
      const { team, url } = workspace.settings;
      return {
        file: {
          ...describeFile(file, `${url()}/files-pri/${team}-${file.id}`),
          shares: formatShares(workspace, file),
        },
      };
    },
  },
  "files.delete": {
    rate: 3,
    scope: "files:write",
    run(workspace, args) {
      const id = args.required("file", "file_not_found");
      if (!workspace.files.delete(id)) throw new SlackFailure("file_not_found");
      return {};
    },
  },
};

type NewFile = Omit<SlackFile, "id" | "mimetype" | "shares"> & {
  readonly id?: string;
  readonly mimetype?: string;
};

/** Keeps a file, which is nowhere shared yet. */
export function createFile(workspace: Workspace, file: NewFile): SlackFile {
  const ending = file.name.split(".").at(-1)?.toLowerCase() ?? "";
  const kept: SlackFile = {
    ...file,
    id: file.id ?? workspace.id("F"),
    mimetype: file.mimetype ?? types[ending] ?? "application/octet-stream",
    shares: [],
  };
  workspace.files.set(kept.id, kept);
  return kept;
}

/** Notes where they are to be seen, and tells the app. */
export function shareFiles(
  workspace: Workspace,
  files: readonly SlackFile[],
  channel: string,
  ts: string,
): void {
  for (const file of files) {
    file.shares.push({ channel, ts });
    workspace.emit({
      type: "file_shared",
      file_id: file.id,
      user_id: file.user,
      channel_id: channel,
      file: { id: file.id },
      event_ts: ts,
    });
  }
}

/** What is behind a file's address, for who may have it. */
export function findDownload(
  workspace: Workspace,
  path: string,
): Pick<SlackFile, "bytes" | "mimetype"> | undefined {
  const [, kind, id] = /^\/files-(pri|tmb)\/[A-Z0-9]+-([A-Z0-9]+)[-/]/.exec(path) ?? [];
  const file = id === undefined ? undefined : workspace.files.get(id);
  return kind === "tmb" ? file?.rendition : file;
}

function formatShares({ channels }: Workspace, file: SlackFile): Record<string, unknown> {
  const shares: Record<string, Record<string, unknown[]>> = {};
  for (const { channel, ts } of file.shares) {
    const kind = channels.get(channel)?.kind === "public" ? "public" : "private";
    shares[kind] = { ...shares[kind], [channel]: [{ ts }] };
  }
  return shares;
}
