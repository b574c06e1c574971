/** An answer with `ok: false`. */
export class SlackFailure extends Error {
  /** The platform's word for it. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** @throws SlackFailure with a sentence for whoever reads the answer. */
export function refuse(code: string, sentence: string): never {
  throw new SlackFailure(code, { response_metadata: { messages: [`[ERROR] ${sentence}`] } });
}
