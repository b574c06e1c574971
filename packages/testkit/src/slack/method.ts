import type { Args } from "./args.ts";
import type { Rate } from "./rates.ts";
import type { Workspace } from "./workspace.ts";

export type Reply = Readonly<Record<string, unknown>>;

/** A method of the Web API. */
export type Method = {
  readonly rate: Rate;
  /** What the bot's token needs for it; the app's token for `app`. */
  readonly scope?: string;
  readonly token?: "app";
  /** Arguments in JSON are not seen. */
  readonly formOnly?: true;
  /** @throws SlackFailure */
  readonly run: (workspace: Workspace, args: Args) => Reply;
};

export type Methods = Readonly<Record<string, Method>>;
