import type { ProtocolMessage } from "@acp-kit/poe-protocol";
import type { Turn } from "@acp-kit/router";
import { isForRelay } from "./intake.ts";

/**
 * The platform's transcript for the router. Messages of people who may not talk are left out; the newest message of a
 * person is always the one that is asked.
 *
 * @param isAdmitted - Whether the person with this id may talk.
 */
export function readTranscript(
  messages: readonly ProtocolMessage[],
  isAdmitted: (user: string) => boolean,
): readonly Turn[] {
  const newest = messages.findLastIndex(({ role }) => role === "user");
  // What the bot says next after a word to the relay is the relay's.
  let isAside = false;
  return messages
    .filter(({ role, sender }, at) => {
      const isForeign = role === "user" && at !== newest && typeof sender?.id === "string";
      return !isForeign || isAdmitted(sender.id ?? "");
    })
    .map(({ role, content, message_id, attachments, sender }) => {
      if (role === "user") isAside = isForRelay(content);
      return {
        role,
        content,
        messageId: message_id,
        ...(isAside && role !== "system" && { isAside }),
        ...(role === "user" && sender?.name && { speaker: sender.name }),
        attachments: attachments.map(({ url, content_type, name, parsed_content }) => ({
          url,
          contentType: content_type,
          name,
          parsedContent: parsed_content ?? "",
        })),
      };
    });
}
