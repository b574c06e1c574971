/** What is worth counting and timing; holds no text, and ids only to find the turn again. */
export type RouterMetric =
  /** Turns that wait or run in the conversation, the new one included. */
  | { readonly kind: "queue-depth"; readonly conversation: string; readonly depth: number }
  /** From the post of the message to the agent's first word, thought or tool call, in milliseconds. */
  | {
      readonly kind: "first-event";
      readonly conversation: string;
      readonly turn: string;
      readonly ms: number;
    }
  /** From the start of the turn to its end, in milliseconds. */
  | {
      readonly kind: "turn";
      readonly conversation: string;
      readonly turn: string;
      readonly outcome: string;
      readonly ms: number;
    }
  /** What is known of the cost of a turn at its end. Tokens and cost are the session's in all, as the agent tells them. */
  | {
      readonly kind: "spent";
      readonly conversation: string;
      readonly turn: string;
      readonly agent: string;
      readonly session: string;
      readonly model?: string;
      readonly tokens?: number;
      readonly cost?: { readonly amount: number; readonly currency: string };
    }
  /** A session had to be had again: the agent had lost it, the transcript was edited, or it could only be made anew. */
  | {
      readonly kind: "recovery";
      readonly conversation: string;
      readonly cause: "session-not-found" | "edited" | "lost";
    }
  /** The same message came again while its turn was open: how long after the first time, in milliseconds. */
  | {
      readonly kind: "redrive";
      readonly conversation: string;
      readonly turn: string;
      readonly delayMs: number;
    };
