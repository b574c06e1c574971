/** A file that came with a message. */
export type Attachment = {
  readonly url: string;
  readonly contentType: string;
  readonly name: string;
  /** What the platform read out of the file; empty when it read nothing. */
  readonly parsedContent: string;
  /** Of a version that the platform made of the file for more readers: a picture in a common format, a PDF. */
  readonly renditionUrl?: string;
};

/** One message of the platform's transcript, in the platform's order, newest last. */
export type Turn = {
  /** `user`, `bot` or `system`; other words pass. */
  readonly role: string;
  /** As the platform sent it: an edit is recognised by a content that has changed. */
  readonly content: string;
  /** Unique within a query; empty when the platform gave none. */
  readonly messageId: string;
  readonly attachments: readonly Attachment[];
  /** The writer's name, for the agent to read; it is handed over as data. */
  readonly speaker?: string;
  /** True for what was said to or by the relay itself (a command, an answer to a question): no agent is told of it. */
  readonly isAside?: boolean;
  /** True for a message of somebody who may not talk, which comes without its content: an agent is told that it was there. */
  readonly isWithheld?: boolean;
};
