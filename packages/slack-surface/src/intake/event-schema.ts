import { z } from "zod";

/** Only what is looked at; everything else may be there, and anything may be missing. */
const text = z.string().catch("");
const id = z.string().optional().catch(undefined);

export const fileSchema = z.object({
  id: z.string(),
  name: text,
  mimetype: text,
  size: z.number().nonnegative().catch(0),
  url_private: id,
  url_private_download: id,
  file_access: id,
  mode: text,
  filetype: text,
  is_external: z.boolean().catch(false),
  external_url: id,
  thumb_1024: id,
  thumb_960: id,
  thumb_800: id,
  thumb_720: id,
  thumb_480: id,
  thumb_360: id,
  converted_pdf: id,
  transcription: z
    .object({ preview: z.object({ content: text, has_more: z.boolean().catch(false) }) })
    .optional()
    .catch(undefined),
});

/** A message as events and histories have it. */
export const messageSchema = z.object({
  user: id,
  bot_id: id,
  app_id: id,
  subtype: id,
  text,
  ts: id,
  thread_ts: id,
  /** Of the first message of a thread, as histories have it. */
  latest_reply: id,
  team: id,
  user_team: id,
  client_msg_id: id,
  edited: z.object({ ts: id }).optional().catch(undefined),
  files: z.array(fileSchema).catch([]),
});

export type WireMessage = z.infer<typeof messageSchema>;
export type WireFile = z.infer<typeof fileSchema>;

export const eventSchema = messageSchema.extend({
  type: text,
  channel: id,
  channel_id: id,
  channel_type: id,
  deleted_ts: id,
  message: messageSchema.optional().catch(undefined),
  previous_message: messageSchema.optional().catch(undefined),
  reaction: id,
  item_user: id,
  item: z.object({ channel: id, ts: id }).optional().catch(undefined),
  tab: id,
});

export type WireEvent = z.infer<typeof eventSchema>;

export const callbackSchema = z.object({
  type: z.literal("event_callback"),
  team_id: id,
  context_team_id: id,
  api_app_id: id,
  event_id: id,
  is_ext_shared_channel: z.boolean().catch(false),
  authorizations: z
    .array(z.object({ team_id: id }))
    .optional()
    .catch(undefined),
  event: eventSchema,
});
