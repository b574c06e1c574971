import { z } from "zod";
import type {
  AgentCapabilities,
  AuthMethod,
  ClientCapabilities,
  InitializeParams,
  InitializeResult,
} from "../types/initialize.ts";
import { maybe, meta } from "./open.ts";

const text = maybe(z.string());
const flag = z.boolean().exactOptional();
const present = maybe(z.looseObject({ _meta: meta }));

const implementation = z.looseObject({
  name: z.string(),
  version: z.string(),
  title: text,
  _meta: meta,
});

export const agentCapabilitiesSchema: z.ZodType<AgentCapabilities> = z.looseObject({
  loadSession: flag,
  promptCapabilities: z
    .looseObject({ image: flag, audio: flag, embeddedContext: flag, _meta: meta })
    .exactOptional(),
  mcpCapabilities: z.looseObject({ http: flag, sse: flag, _meta: meta }).exactOptional(),
  sessionCapabilities: z
    .looseObject({
      list: present,
      resume: present,
      close: present,
      delete: present,
      additionalDirectories: present,
      _meta: meta,
    })
    .exactOptional(),
  auth: z.looseObject({ logout: present, _meta: meta }).exactOptional(),
  _meta: meta,
});

export const clientCapabilitiesSchema: z.ZodType<ClientCapabilities> = z.looseObject({
  fs: z.looseObject({ readTextFile: flag, writeTextFile: flag, _meta: meta }).exactOptional(),
  terminal: flag,
  auth: z.looseObject({ terminal: flag, _meta: meta }).exactOptional(),
  session: maybe(
    z.looseObject({
      configOptions: maybe(z.looseObject({ boolean: present, _meta: meta })),
      notices: maybe(z.record(z.string(), z.unknown())),
      compaction: maybe(z.record(z.string(), z.unknown())),
      _meta: meta,
    }),
  ),
  elicitation: maybe(z.looseObject({ form: present, url: present, _meta: meta })),
  _meta: meta,
});

export const authMethodSchema: z.ZodType<AuthMethod> = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: text,
  _meta: meta,
});

export const initializeParamsSchema: z.ZodType<InitializeParams> = z.looseObject({
  protocolVersion: z.number(),
  clientCapabilities: clientCapabilitiesSchema.exactOptional(),
  clientInfo: maybe(implementation),
  _meta: meta,
});

export const initializeResultSchema: z.ZodType<InitializeResult> = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: agentCapabilitiesSchema.exactOptional(),
  agentInfo: maybe(implementation),
  authMethods: z.array(authMethodSchema).exactOptional(),
  _meta: meta,
});
