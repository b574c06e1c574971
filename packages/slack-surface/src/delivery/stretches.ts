import type { PermissionAsk, SentFile } from "@acp-kit/router";
import type { SlackPart } from "../slack-part.ts";

/** Text that is shown as one, and the question or file that ends it. Only the last one has none, and only that one grows. */
export type Stretch = {
  readonly text: string;
  readonly ask?: PermissionAsk;
  readonly file?: SentFile;
};

/** What a turn is shown as, in order. Pure. */
export function stretchesOf(parts: readonly SlackPart[]): readonly [...Stretch[], Stretch] {
  const done: Stretch[] = [];
  let text = "";
  for (const part of parts) {
    if (part.kind === "text") text += part.markdown;
    else {
      done.push(part.kind === "file" ? { text, file: part.file } : { text, ask: part.ask });
      text = "";
    }
  }
  return [...done, { text }];
}
