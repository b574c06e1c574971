/** A file that came with a message. */
export type Attachment = {
  readonly url: string;
  readonly contentType: string;
  readonly name: string;
  /** What the platform read out of the file; empty when it read nothing. */
  readonly parsedContent: string;
};

/** One message of the platform's transcript, in the platform's order, newest last. */
export type Turn = {
  /** `user`, `bot` or `system`; other words pass. */
  readonly role: string;
  readonly content: string;
  /** Unique within a query; empty when the platform gave none. */
  readonly messageId: string;
  readonly attachments: readonly Attachment[];
};
