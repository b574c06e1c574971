import { z } from "zod";
import type {
  ConfigOption,
  McpServer,
  SessionCancelParams,
  SessionCloseParams,
  SessionDeleteParams,
  SessionInfo,
  SessionListParams,
  SessionListResult,
  SessionLoadParams,
  SessionLoadResult,
  SessionModeState,
  SessionNewParams,
  SessionNewResult,
  SessionPromptParams,
  SessionPromptResult,
  SessionResumeParams,
} from "../types/session.ts";
import { contentBlockSchema } from "./content.ts";
import { maybe, meta, openUnion } from "./open.ts";

const text = maybe(z.string());
const nameAndValue = z.looseObject({ name: z.string(), value: z.string(), _meta: meta });

export const mcpServerSchema: z.ZodType<McpServer> = z.union([
  z.looseObject({
    type: z.enum(["http", "sse"]),
    name: z.string(),
    url: z.string(),
    headers: z.array(nameAndValue),
    _meta: meta,
  }),
  z.looseObject({
    name: z.string(),
    command: z.string(),
    args: z.array(z.string()),
    env: z.array(nameAndValue),
    _meta: meta,
  }),
]);

export const sessionModeStateSchema: z.ZodType<SessionModeState> = z.looseObject({
  currentModeId: z.string(),
  availableModes: z.array(
    z.looseObject({ id: z.string(), name: z.string(), description: text, _meta: meta }),
  ),
  _meta: meta,
});

const choice = z.looseObject({
  value: z.string(),
  name: z.string(),
  description: text,
  _meta: meta,
});
const optionBase = {
  id: z.string(),
  name: z.string(),
  description: text,
  category: text,
  _meta: meta,
};

export const configOptionSchema: z.ZodType<ConfigOption> = openUnion("type", [
  z.looseObject({
    ...optionBase,
    type: z.literal("select"),
    currentValue: z.string(),
    options: z.union([
      z.array(choice),
      z.array(
        z.looseObject({
          group: z.string(),
          name: z.string(),
          options: z.array(choice),
          _meta: meta,
        }),
      ),
    ]),
  }),
  z.looseObject({ ...optionBase, type: z.literal("boolean"), currentValue: z.boolean() }),
]) as z.ZodType<ConfigOption>;

const place = {
  cwd: z.string(),
  additionalDirectories: z.array(z.string()).exactOptional(),
  _meta: meta,
};
const settings = {
  modes: maybe(sessionModeStateSchema),
  configOptions: maybe(z.array(configOptionSchema)),
  _meta: meta,
};
const named = { sessionId: z.string(), _meta: meta };

export const sessionInfoSchema: z.ZodType<SessionInfo> = z.looseObject({
  ...named,
  ...place,
  title: text,
  updatedAt: text,
});

export const sessionNewParamsSchema: z.ZodType<SessionNewParams> = z.looseObject({
  ...place,
  mcpServers: z.array(mcpServerSchema),
});
export const sessionNewResultSchema: z.ZodType<SessionNewResult> = z.looseObject({
  ...named,
  ...settings,
});
export const sessionLoadParamsSchema: z.ZodType<SessionLoadParams> = z.looseObject({
  ...named,
  ...place,
  mcpServers: z.array(mcpServerSchema),
});
export const sessionLoadResultSchema: z.ZodType<SessionLoadResult> = z.looseObject(settings);
export const sessionResumeParamsSchema: z.ZodType<SessionResumeParams> = z.looseObject({
  ...named,
  ...place,
  mcpServers: z.array(mcpServerSchema).exactOptional(),
});
export const sessionListParamsSchema: z.ZodType<SessionListParams> = z.looseObject({
  cwd: text,
  cursor: text,
  _meta: meta,
});
export const sessionListResultSchema: z.ZodType<SessionListResult> = z.looseObject({
  sessions: z.array(sessionInfoSchema),
  nextCursor: text,
  _meta: meta,
});
export const sessionCloseParamsSchema: z.ZodType<SessionCloseParams> = z.looseObject(named);
export const sessionDeleteParamsSchema: z.ZodType<SessionDeleteParams> = z.looseObject(named);
export const sessionCancelParamsSchema: z.ZodType<SessionCancelParams> = z.looseObject(named);
export const sessionPromptParamsSchema: z.ZodType<SessionPromptParams> = z.looseObject({
  ...named,
  prompt: z.array(contentBlockSchema),
});
export const sessionPromptResultSchema: z.ZodType<SessionPromptResult> = z.looseObject({
  stopReason: z.string(),
  _meta: meta,
});
