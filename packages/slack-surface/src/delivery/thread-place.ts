import { parseConversationKey } from "@acp-kit/relay";

/** Where a conversation is shown. */
export type ThreadPlace = {
  readonly channel: string;
  /** Absent: in the channel itself. */
  readonly thread: string | undefined;
  /** One person alone reads there. */
  readonly isDirect: boolean;
};

/** From the router's name of a conversation: `<team>/<channel>/<thread>`, without the thread where there is none. Pure. */
export function threadPlaceOf(conversation: string): ThreadPlace {
  const [, channel = "", thread] = parseConversationKey(conversation).id.split("/");
  return { channel, thread, isDirect: channel.startsWith("D") };
}
