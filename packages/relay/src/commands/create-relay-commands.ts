import type { Router, RouterConfig } from "@acp-kit/router";
import type { RelayApp } from "../app.ts";
import type { Log } from "../log.ts";
import type { RelayDb } from "../relay-db.ts";
import type { SurfaceBot } from "../surface.ts";
import type { CommandHost } from "./command-context.ts";
import { type ChatCommands, createChatCommands } from "./create-chat-commands.ts";
import { LoginBook } from "./login-book.ts";
import { PolicyBook } from "./policy-book.ts";

export type RelayCommandsOptions = Pick<
  CommandHost,
  "agents" | "people" | "journal" | "audit" | "projects" | "changes" | "offers" | "personalAgent"
> & {
  readonly app: Pick<RelayApp, "name" | "version">;
  readonly bots: readonly SurfaceBot[];
  readonly db: RelayDb;
  readonly router: Router;
  /** What the router was made of: commands keep to the same rules. */
  readonly rules: Pick<RouterConfig, "mayChoose" | "allowedCommands" | "permissionPolicy">;
  readonly log: Log;
};

/** The chat commands of a relay. */
export function createRelayCommands(options: RelayCommandsOptions): ChatCommands {
  const { app, bots, db, rules, ...host } = options;
  const { mayChoose, allowedCommands } = rules;
  return createChatCommands({
    ...host,
    relay: `${app.name} ${app.version}`,
    bots: new Map(bots.map(({ name, agent, workspace }) => [name, { agent, workspace }])),
    logins: new LoginBook(db),
    policies: new PolicyBook(db),
    mayChoose,
    allowedCommands,
  });
}
