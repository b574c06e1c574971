import type { CreateDownloads } from "@acp-kit/relay";
import { AttachmentError } from "@acp-kit/router/attachments";
import { createSlackDownloads } from "./slack-downloads.ts";

/** What fetches the files of a bot's messages, for `RelayApp.createDownloads`. Without its feature nothing is fetched. */
export const createDownloadsOfBot: CreateDownloads = ({ settings }, { hosts, proxy }) => {
  if (settings.surface !== "slack") throw new TypeError("this is no bot on Slack");
  const { botToken: token, apiUrl, features } = settings;
  if (features.includes("files-in")) return createSlackDownloads({ token, apiUrl, hosts, proxy });
  return {
    fetch: async () => {
      const reason = "this bot takes no files";
      throw new AttachmentError("files-in is switched off.", { code: "unavailable", reason });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
};
