import type { Role } from "@acp-kit/router";
import type { Erasable } from "@acp-kit/router/sqlite";
import type { AppCommand } from "../app.ts";
import type { UsageGroup } from "../people/usage.ts";
import type { StartFlags } from "../settings.ts";
import type { StartRequest } from "./read-settings.ts";

/** Which relay's state a command is about. */
export type Place = {
  readonly config?: string;
  readonly stateDir?: string;
  readonly instance: string;
};

/** A command about what a relay keeps. `conversation` is a whole key, or the platform's id in it. */
export type StateRequest = { readonly place: Place } & (
  | { readonly kind: "backup"; readonly file: string }
  | { readonly kind: "restore"; readonly file: string }
  | { readonly kind: "erase"; readonly what: Erasable; readonly dryRun: boolean }
  /** `about`: a reference that the chat shows, or an id of the platform. */
  | { readonly kind: "explain"; readonly about: string; readonly json: boolean }
  | { readonly kind: "audit-verify"; readonly head: string | undefined }
  | { readonly kind: "audit-list"; readonly json: boolean }
  | { readonly kind: "list" }
  | { readonly kind: "worktrees" }
  | { readonly kind: "show"; readonly conversation: string }
  /** Without a file to stdout. */
  | { readonly kind: "export"; readonly conversation: string; readonly file: string | undefined }
  /** Without a bot for all of them. */
  | { readonly kind: "allow"; readonly user: string; readonly role: Role; readonly bot: string }
  | { readonly kind: "people" }
  | { readonly kind: "remove"; readonly user: string }
  | { readonly kind: "pause"; readonly reason: string }
  | { readonly kind: "resume" }
  | { readonly kind: "usage"; readonly group: UsageGroup; readonly days: number }
);

/** Whether a configuration would do. */
export type CheckRequest = {
  readonly kind: "check";
  readonly config: string | undefined;
  /** Those of a start that change what there is to look at. */
  readonly flags: Pick<StartFlags, "agent" | "workspace" | "stateDir" | "instance">;
  /** Ask nobody. */
  readonly isOffline: boolean;
};

/** A command of the app's own. */
export type AppRequest = {
  readonly kind: "app";
  readonly command: AppCommand;
  readonly config: string | undefined;
  readonly options: Readonly<Partial<Record<string, string>>>;
};

/** What the command line asks for. `text` is for stdout when `code` is 0, else one line for stderr. */
export type Invocation =
  | ({ readonly kind: "start" } & StartRequest)
  | StateRequest
  | CheckRequest
  | AppRequest
  | { readonly kind: "print"; readonly code: 0 | 1; readonly text: string };
