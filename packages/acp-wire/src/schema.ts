/**
 * Zod schemas of what comes in over ACP v1, for those who want it checked before they use it.
 *
 * They are as open as the wire: members that are not known stay, and an object with a tag that is
 * not known passes as it is. What is known must have the right type.
 */
export { contentBlockSchema } from "./schema/content.ts";
export {
  agentCapabilitiesSchema,
  authMethodSchema,
  clientCapabilitiesSchema,
  initializeParamsSchema,
  initializeResultSchema,
} from "./schema/initialize.ts";
export {
  configOptionSchema,
  mcpServerSchema,
  sessionCancelParamsSchema,
  sessionCloseParamsSchema,
  sessionDeleteParamsSchema,
  sessionInfoSchema,
  sessionListParamsSchema,
  sessionListResultSchema,
  sessionLoadParamsSchema,
  sessionLoadResultSchema,
  sessionModeStateSchema,
  sessionNewParamsSchema,
  sessionNewResultSchema,
  sessionPromptParamsSchema,
  sessionPromptResultSchema,
  sessionResumeParamsSchema,
} from "./schema/session.ts";
export {
  permissionRequestParamsSchema,
  permissionRequestResultSchema,
  sessionUpdateParamsSchema,
  sessionUpdateSchema,
} from "./schema/update.ts";
