import type { Meta, Open } from "./meta.ts";

/** A capability that is only present or absent: `{}` on the wire. */
export type EmptyCapability = { _meta?: Meta | null };

/** Who takes part, on the wire. */
export type Implementation = {
  name: string;
  version: string;
  title?: string | null;
  _meta?: Meta | null;
};

/** Who an agent is, as its author says it. */
export type AgentInfo = Implementation;

export type PromptCapabilities = {
  image?: boolean;
  audio?: boolean;
  embeddedContext?: boolean;
  _meta?: Meta | null;
};

export type McpCapabilities = { http?: boolean; sse?: boolean; _meta?: Meta | null };

export type SessionCapabilities = {
  list?: EmptyCapability | null;
  resume?: EmptyCapability | null;
  close?: EmptyCapability | null;
  delete?: EmptyCapability | null;
  additionalDirectories?: EmptyCapability | null;
  _meta?: Meta | null;
};

/** What an agent can do. Everything that is left out is unsupported. */
export type AgentCapabilities = {
  loadSession?: boolean;
  promptCapabilities?: PromptCapabilities;
  mcpCapabilities?: McpCapabilities;
  sessionCapabilities?: SessionCapabilities;
  auth?: { logout?: EmptyCapability | null; _meta?: Meta | null };
  _meta?: Meta | null;
};

/** What a client can do for its agent. Everything that is left out is unsupported. */
export type ClientCapabilities = {
  fs?: { readTextFile?: boolean; writeTextFile?: boolean; _meta?: Meta | null };
  terminal?: boolean;
  auth?: { terminal?: boolean; _meta?: Meta | null };
  session?: {
    configOptions?: { boolean?: EmptyCapability | null; _meta?: Meta | null } | null;
    notices?: Meta | null;
    compaction?: Meta | null;
    _meta?: Meta | null;
  } | null;
  elicitation?: {
    form?: EmptyCapability | null;
    url?: EmptyCapability | null;
    _meta?: Meta | null;
  } | null;
  _meta?: Meta | null;
};

/** Authentication that the agent does itself when `authenticate` is called. */
export type AgentAuthMethod = {
  id: string;
  name: string;
  description?: string | null;
  _meta?: Meta | null;
};

/** Authentication by running the agent once more, in a terminal, with these arguments. */
export type TerminalAuthMethod = AgentAuthMethod & {
  type: "terminal";
  args?: string[];
  env?: { [name: string]: string };
};

/** The authentication methods of ACP v1: what this side writes. */
export type KnownAuthMethod = AgentAuthMethod | TerminalAuthMethod;

/** An authentication method as it comes in; agents also send types of their own. */
export type AuthMethod = KnownAuthMethod | (AgentAuthMethod & Open<"type">);

export type InitializeParams = {
  protocolVersion: number;
  clientCapabilities?: ClientCapabilities;
  clientInfo?: Implementation | null;
  _meta?: Meta | null;
};

export type InitializeResult = {
  protocolVersion: number;
  agentCapabilities?: AgentCapabilities;
  agentInfo?: Implementation | null;
  authMethods?: AuthMethod[];
  _meta?: Meta | null;
};
