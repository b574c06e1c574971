import { type ContentBlock, ErrorCode, flattenPrompt, RpcError } from "@acp-kit/acp-wire";
import { isBase64, type SubmitTurnRequest } from "@acp-kit/dcode-protocol";

/**
 * A prompt as dcode takes it: one text, and pictures. Embedded resources and links become text.
 *
 * @throws RpcError -32602 for sound, which dcode does not take, and for a picture that is no base64
 */
export function parsePrompt(blocks: readonly ContentBlock[]): SubmitTurnRequest {
  const images = blocks.flatMap((block) => {
    const { type, data, mimeType } = block as { [key: string]: unknown };
    if (type === "audio") throw new RpcError(ErrorCode.invalidParams, "dcode takes no audio");
    if (type !== "image") return [];
    if (typeof data !== "string" || typeof mimeType !== "string" || !isBase64(data)) {
      throw new RpcError(ErrorCode.invalidParams, "A picture needs base64 data and a mimeType");
    }
    return [{ media_type: mimeType, data }];
  });
  return { text: flattenPrompt(blocks), ...(images.length > 0 && { images }) };
}
