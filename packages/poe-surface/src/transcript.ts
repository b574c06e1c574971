import type { ProtocolMessage } from "@acp-kit/poe-protocol";
import { isAside } from "@acp-kit/relay";
import type { Turn } from "@acp-kit/router";

/**
 * The platform's transcript for the router. Of messages of people who may not talk there is only that they were there; the
 * newest message of a person is always the one that is asked. What was pasted for a login was never there.
 *
 * @param isAdmitted - Whether the person with this id may talk.
 * @param isSecret - Whether a text holds what was pasted for a login.
 */
export function readTranscript(
  messages: readonly ProtocolMessage[],
  isAdmitted: (user: string) => boolean,
  isSecret: (text: string) => boolean = () => false,
): readonly Turn[] {
  const newest = messages.findLastIndex(({ role }) => role === "user");
  // What the bot says next after a word to the relay is the relay's.
  let isRelays = false;
  const turns: Turn[] = [];
  for (const [at, message] of messages.entries()) {
    const { role, content, message_id, attachments, sender } = message;
    const isForeign = role === "user" && at !== newest && typeof sender?.id === "string";
    if (isForeign && !isAdmitted(sender.id ?? "")) {
      isRelays = true;
      turns.push({ role, content: "", messageId: message_id, attachments: [], isWithheld: true });
      continue;
    }
    const isHidden = isSecret(content);
    if (role === "user") isRelays = isHidden || isAside(content);
    if (isHidden) continue;
    turns.push({
      role,
      content,
      messageId: message_id,
      ...(isRelays && role !== "system" && { isAside: true }),
      ...(role === "user" && sender?.name && { speaker: sender.name }),
      attachments: attachments.map(({ url, content_type, name, parsed_content }) => ({
        url,
        contentType: content_type,
        name,
        parsedContent: parsed_content ?? "",
      })),
    });
  }
  return turns;
}
