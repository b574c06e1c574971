import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SqliteStore } from "@acp-kit/router/sqlite";
import type { RelayApp } from "../../app.ts";
import { readStateDirSetting } from "../../config/read-config.ts";
import type { Env } from "../../config/secret.ts";
import { RelayError } from "../../errors.ts";
import { openStore } from "../../open-store.ts";
import { stateDirOf } from "../../state-dir.ts";
import type { Place } from "../requests.ts";

/** The state directory of the relay that would start with the same options. */
export async function findStateDir(app: RelayApp, place: Place, env: Env): Promise<string> {
  const { config, stateDir, instance } = place;
  const configured = config === undefined ? undefined : await readStateDirSetting(config);
  const wanted = stateDir === undefined ? configured : resolve(stateDir);
  return stateDirOf(app.name, { stateDir: wanted, instance }, env);
}

/**
 * Opens what is kept there, whether or not a relay uses it right now.
 *
 * @throws RelayError `store`, also when there is nothing.
 */
export async function openKept(stateDir: string): Promise<SqliteStore> {
  if (!existsSync(join(stateDir, "store.db"))) {
    throw new RelayError(
      `no relay keeps its state in ${stateDir}; name another with --config, --state-dir or --instance`,
      { code: "store" },
    );
  }
  return openStore(stateDir, "process");
}

/**
 * The key of the conversation that a person names.
 *
 * @param name - A whole key, or the platform's own id.
 * @throws RelayError `store` when there is none, or several.
 */
export async function findConversation(store: SqliteStore, name: string): Promise<string> {
  const found: string[] = [];
  for await (const { conversation } of allConversations(store)) {
    if (conversation === name) return conversation;
    if (conversation.endsWith(`/${name}`)) found.push(conversation);
  }
  const [only, ...others] = found;
  if (only === undefined) {
    throw new RelayError(`there is no conversation ${name}; "sessions list" shows all`, {
      code: "store",
    });
  }
  if (others.length === 0) return only;
  throw new RelayError(`${name} is in several conversations: ${found.join(", ")}; name one whole`, {
    code: "store",
  });
}

const PAGE = 200;

export async function* allConversations(store: SqliteStore) {
  for (let after = ""; ; ) {
    const page = await store.listConversations(after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.conversation;
  }
}
