import { z } from "zod";
import type { PermissionRequestParams, PermissionRequestResult } from "../types/permission.ts";
import type { SessionUpdate, SessionUpdateParams, ToolCallFields } from "../types/update.ts";
import { contentBlockSchema } from "./content.ts";
import { maybe, meta, openUnion } from "./open.ts";
import { configOptionSchema } from "./session.ts";

const text = maybe(z.string());

const toolCallContent = openUnion("type", [
  z.looseObject({ type: z.literal("content"), content: contentBlockSchema, _meta: meta }),
  z.looseObject({
    type: z.literal("diff"),
    path: z.string(),
    oldText: text,
    newText: z.string(),
    _meta: meta,
  }),
  z.looseObject({ type: z.literal("terminal"), terminalId: z.string(), _meta: meta }),
]) as unknown as z.ZodType<NonNullable<ToolCallFields["content"]>[number]>;

const toolCallFields = {
  title: text,
  name: text,
  kind: text,
  status: text,
  content: maybe(z.array(toolCallContent)),
  locations: maybe(
    z.array(z.looseObject({ path: z.string(), line: maybe(z.number()), _meta: meta })),
  ),
  rawInput: z.unknown().exactOptional(),
  rawOutput: z.unknown().exactOptional(),
  _meta: meta,
};

const chunk = <Kind extends string>(kind: Kind) =>
  z.looseObject({
    sessionUpdate: z.literal(kind),
    content: contentBlockSchema,
    messageId: text,
    _meta: meta,
  });

/** An update; of a tool call also with kinds and states that are not known yet. */
export const sessionUpdateSchema: z.ZodType<SessionUpdate> = openUnion("sessionUpdate", [
  chunk("user_message_chunk"),
  chunk("agent_message_chunk"),
  chunk("agent_thought_chunk"),
  z.looseObject({
    ...toolCallFields,
    sessionUpdate: z.literal("tool_call"),
    toolCallId: z.string(),
    title: z.string(),
  }),
  z.looseObject({
    ...toolCallFields,
    sessionUpdate: z.literal("tool_call_update"),
    toolCallId: z.string(),
  }),
  z.looseObject({
    sessionUpdate: z.literal("plan"),
    entries: z.array(
      z.looseObject({
        content: z.string(),
        priority: z.string(),
        status: z.string(),
        _meta: meta,
      }),
    ),
    _meta: meta,
  }),
  z.looseObject({
    sessionUpdate: z.literal("available_commands_update"),
    availableCommands: z.array(
      z.looseObject({ name: z.string(), description: z.string(), _meta: meta }),
    ),
    _meta: meta,
  }),
  z.looseObject({
    sessionUpdate: z.literal("current_mode_update"),
    currentModeId: z.string(),
    _meta: meta,
  }),
  z.looseObject({
    sessionUpdate: z.literal("config_option_update"),
    configOptions: z.array(configOptionSchema),
    _meta: meta,
  }),
  z.looseObject({
    sessionUpdate: z.literal("session_info_update"),
    title: text,
    updatedAt: text,
    _meta: meta,
  }),
  z.looseObject({
    sessionUpdate: z.literal("usage_update"),
    used: z.number(),
    size: z.number(),
    cost: maybe(z.looseObject({ amount: z.number(), currency: z.string(), _meta: meta })),
    _meta: meta,
  }),
]) as unknown as z.ZodType<SessionUpdate>;

export const sessionUpdateParamsSchema: z.ZodType<SessionUpdateParams> = z.looseObject({
  sessionId: z.string(),
  update: sessionUpdateSchema,
  _meta: meta,
});

export const permissionRequestParamsSchema: z.ZodType<PermissionRequestParams> = z.looseObject({
  sessionId: z.string(),
  toolCall: z.looseObject({ ...toolCallFields, toolCallId: z.string() }),
  options: z.array(
    z.looseObject({
      optionId: z.string(),
      name: z.string(),
      kind: z.string(),
      _meta: meta,
    }),
  ),
  _meta: meta,
});

export const permissionRequestResultSchema: z.ZodType<PermissionRequestResult> = z.looseObject({
  outcome: z.union([
    z.looseObject({ outcome: z.literal("selected"), optionId: z.string(), _meta: meta }),
    z.looseObject({ outcome: z.literal("cancelled") }),
  ]),
  _meta: meta,
});
