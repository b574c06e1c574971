import type { Journal, Log, PendingCommand } from "@acp-kit/relay";
import type { MarkupRenderer, Options, Router, Turn } from "@acp-kit/router";
import type { Message } from "./intake.ts";
import type { ResponseLimits } from "./limits.ts";
import type { Line, LineMember } from "./line.ts";
import type { PoeSurfaceBot } from "./poe-bot.ts";
import type { Uploads } from "./uploads.ts";

/** A response, as far as the surface and the others of its conversation need to know it. */
export interface OpenResponse extends LineMember {
  /** Ends the turn of an abandoned response, as its requester wants. Resolves once that is done. */
  stop(): Promise<void>;
  /** Ends the response visibly. */
  seal(): void;
}

/** What all responses share. */
export type ResponseHost = {
  readonly router: Router;
  readonly renderer: MarkupRenderer<string>;
  readonly limits: ResponseLimits;
  readonly log: Log;
  readonly journal: Journal;
  readonly now: () => number;
  readonly line: Line<OpenResponse>;
  readonly uploads: Uploads;
  /** Tells these responses from those of other processes. */
  readonly surface: string;
};

export type ResponseRequest = {
  readonly bot: PoeSurfaceBot;
  readonly conversation: string;
  readonly message: Message;
  /** What the relay itself is to do about it. */
  readonly command: PendingCommand | undefined;
  readonly query: readonly Turn[];
  /** The platform's id of this very request; may be empty. */
  readonly request: string;
  /** What its parameters ask for. */
  readonly options: Options;
};
