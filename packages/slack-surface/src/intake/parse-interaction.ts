import { z } from "zod";
import type { SlackIdentity } from "./heard.ts";

/** Where and by whom something was pressed. */
export type SlackActor = { readonly user: string; readonly userTeam: string };

/** What a person did with what the app has shown. */
export type SlackInteraction =
  | (SlackActor & {
      readonly kind: "click";
      readonly channel: string;
      readonly message: string;
      readonly thread: string | undefined;
      readonly action: string;
      readonly value: string;
      /** Opens a modal, once, within 3 s. */
      readonly trigger: string;
      readonly responseUrl: string | undefined;
    })
  | (SlackActor & {
      readonly kind: "submission";
      readonly callback: string;
      readonly metadata: string;
      readonly values: unknown;
    })
  | (SlackActor & {
      readonly kind: "shortcut";
      readonly callback: string;
      readonly channel: string;
      readonly message: string;
      readonly thread: string | undefined;
      readonly trigger: string;
      readonly responseUrl: string | undefined;
    })
  | (SlackActor & {
      readonly kind: "command";
      readonly command: string;
      readonly text: string;
      readonly channel: string;
      readonly trigger: string;
      readonly responseUrl: string | undefined;
    })
  | { readonly kind: "ignored"; readonly reason: "malformed" | "foreign-app" | "foreign-team" };

const text = z.string().catch("");
const id = z.string().optional().catch(undefined);

const userSchema = z.object({ id: z.string().min(1), team_id: id });

const interactionSchema = z.object({
  type: z.string(),
  api_app_id: z.string(),
  user: userSchema,
  team: z.object({ id: z.string() }).nullish(),
  trigger_id: text,
  response_url: id,
  callback_id: text,
  channel: z.object({ id: z.string() }).optional().catch(undefined),
  container: z
    .object({ channel_id: id, message_ts: id, thread_ts: id })
    .optional()
    .catch(undefined),
  message_ts: id,
  message: z.object({ ts: id, thread_ts: id }).optional().catch(undefined),
  actions: z.array(z.object({ action_id: text, value: text })).catch([]),
  view: z
    .object({
      callback_id: text,
      private_metadata: text,
      state: z.object({ values: z.unknown() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const commandSchema = z.object({
  command: z.string().min(1),
  text,
  api_app_id: z.string(),
  team_id: z.string(),
  user_id: z.string().min(1),
  channel_id: z.string().min(1),
  trigger_id: text,
  response_url: id,
});

/**
 * What an interaction or a slash command means, from whichever transport. Pure; never throws. Whether it counts is for
 * whoever knows what was shown: nothing in it is to be believed but that the platform has sent it.
 */
export function parseSlackInteraction(payload: unknown, identity: SlackIdentity): SlackInteraction {
  const command = commandSchema.safeParse(payload);
  if (command.success) return readCommand(command.data, identity);
  const parsed = interactionSchema.safeParse(payload);
  if (!parsed.success) return ignored("malformed");
  const { api_app_id: app, team, user, type, view, callback_id: callback } = parsed.data;
  if (app !== identity.app) return ignored("foreign-app");
  // Of a partner's click the team is the partner's, and the installation's is nowhere: the message is looked up then.
  if (team && team.id !== identity.team && team.id !== user.team_id) return ignored("foreign-team");
  const actor = { user: user.id, userTeam: user.team_id ?? team?.id ?? identity.team };
  const place = readPlace(parsed.data);
  if (type === "view_submission" && view) {
    const { callback_id, private_metadata: metadata, state } = view;
    return { kind: "submission", ...actor, callback: callback_id, metadata, values: state?.values };
  }
  if (type === "message_action" && place) {
    return { kind: "shortcut", ...actor, callback, ...place };
  }
  const [action] = parsed.data.actions;
  if (type !== "block_actions" || !action || !place) return ignored("malformed");
  return { kind: "click", ...actor, ...place, action: action.action_id, value: action.value };
}

function readPlace(data: z.infer<typeof interactionSchema>) {
  const { container, message, message_ts: ts } = data;
  const channel = container?.channel_id ?? data.channel?.id;
  const messageTs = container?.message_ts ?? ts ?? message?.ts;
  if (channel === undefined || messageTs === undefined) return undefined;
  return {
    channel,
    message: messageTs,
    thread: container?.thread_ts ?? message?.thread_ts,
    trigger: data.trigger_id,
    responseUrl: checkResponseUrl(data.response_url),
  };
}

function readCommand(
  data: z.infer<typeof commandSchema>,
  identity: SlackIdentity,
): SlackInteraction {
  if (data.api_app_id !== identity.app) return ignored("foreign-app");
  if (data.team_id !== identity.team) return ignored("foreign-team");
  return {
    kind: "command",
    user: data.user_id,
    userTeam: data.team_id,
    command: data.command,
    text: data.text,
    channel: data.channel_id,
    trigger: data.trigger_id,
    responseUrl: checkResponseUrl(data.response_url),
  };
}

/** Only an address of the platform itself, over TLS, is ever answered. */
export function checkResponseUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(url);
  const isPlatform = protocol === "https:" && hostname === "hooks.slack.com" && port === "";
  return isPlatform && username === "" && password === "" ? url : undefined;
}

function ignored(reason: "malformed" | "foreign-app" | "foreign-team"): SlackInteraction {
  return { kind: "ignored", reason };
}
