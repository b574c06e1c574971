import type { Args } from "./args.ts";
import { isRecord } from "./args.ts";
import { checkBlocks } from "./blocks.ts";
import { refuse, SlackFailure } from "./failure.ts";
import { countChars, SLACK_LIMITS } from "./limits.ts";
import type { Methods } from "./method.ts";
import type { SlackView } from "./records.ts";
import type { Workspace } from "./workspace.ts";

export const viewMethods: Methods = {
  "views.open": {
    rate: 4,
    run: (workspace, args) => ({ view: formatView(open(workspace, args)) }),
  },
  "views.push": {
    rate: 4,
    run: (workspace, args) => ({ view: formatView(open(workspace, args)) }),
  },
  "views.update": {
    rate: 4,
    run(workspace, args) {
      const found = workspace.views.get(args.required("view_id", "not_found"));
      if (found?.state !== "open") throw new SlackFailure("not_found");
      if (args.has("hash") && args.text("hash") !== found.hash)
        throw new SlackFailure("hash_conflict");
      found.view = readView(args);
      found.hash = workspace.id("H");
      return { view: formatView(found) };
    },
  },
  "views.publish": {
    rate: 4,
    run(workspace, args) {
      const user = args.required("user_id", "user_not_found");
      if (!workspace.users.has(user)) throw new SlackFailure("user_not_found");
      const id = `V${user}`;
      const before = workspace.views.get(id);
      if (args.has("hash") && args.text("hash") !== before?.hash)
        throw new SlackFailure("hash_conflict");
      const view = readView(args);
      if (view["type"] !== "home") throw new SlackFailure("invalid_arguments");
      const home: SlackView = {
        id,
        kind: "home",
        user,
        hash: workspace.id("H"),
        view,
        state: "open",
      };
      workspace.views.set(id, home);
      return { view: formatView(home) };
    },
  },
};

export function formatView({ id, hash, view }: SlackView): Record<string, unknown> {
  return { ...view, id, hash };
}

/** What a click gives for opening one view, for 3 s. */
export function createTrigger(workspace: Workspace, user: string): string {
  const id = `${workspace.id("TR")}.${workspace.settings.team}`;
  const expiresAt = workspace.now() + SLACK_LIMITS.triggerLifeMs;
  workspace.triggers.set(id, { user, expiresAt, isUsed: false });
  return id;
}

function open(workspace: Workspace, args: Args): SlackView {
  const trigger = workspace.triggers.get(args.required("trigger_id", "invalid_trigger_id"));
  if (!trigger) throw new SlackFailure("invalid_trigger_id");
  if (trigger.isUsed) throw new SlackFailure("exchanged_trigger_id");
  if (workspace.now() >= trigger.expiresAt) throw new SlackFailure("expired_trigger_id");
  const view = readView(args);
  if (view["type"] !== "modal") throw new SlackFailure("invalid_arguments");
  trigger.isUsed = true;
  return addView(workspace, trigger.user, view);
}

/** Shows a person a modal. */
export function addView(
  workspace: Workspace,
  user: string,
  view: Readonly<Record<string, unknown>>,
): SlackView {
  const opened: SlackView = {
    id: workspace.id("V"),
    kind: "modal",
    user,
    hash: workspace.id("H"),
    view,
    state: "open",
  };
  workspace.views.set(opened.id, opened);
  return opened;
}

function readView(args: Args): Readonly<Record<string, unknown>> {
  const view = args.record("view");
  if (!view) throw new SlackFailure("invalid_arguments");
  return checkView(view);
}

/** @throws SlackFailure unless it can be shown. */
export function checkView(
  view: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { blocks } = view;
  if (!Array.isArray(blocks) || !blocks.every(isRecord)) refuse("invalid_arguments", "no blocks");
  checkBlocks(blocks, SLACK_LIMITS.viewBlocks);
  const limits: readonly (readonly [string, unknown, number])[] = [
    ["private_metadata", view["private_metadata"], 3_000],
    ["callback_id", view["callback_id"], 255],
    ...(["title", "submit", "close"] as const).map(
      (name) => [name, isRecord(view[name]) ? view[name]["text"] : undefined, 24] as const,
    ),
  ];
  for (const [name, text, max] of limits) {
    if (typeof text === "string" && countChars(text) > max) {
      refuse("invalid_arguments", `${name} must be less than ${max + 1} characters`);
    }
  }
  if (view["type"] === "modal" && !isRecord(view["title"])) refuse("invalid_arguments", "no title");
  return view;
}
