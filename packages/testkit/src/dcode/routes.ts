import type { ServerResponse } from "node:http";
import {
  asError,
  formatBody,
  renameSessionRequestSchema,
  sessionSchema,
} from "@acp-kit/dcode-protocol";
import type { Answer } from "./answer.ts";
import type { FakeSession } from "./fake-session.ts";
import type { Settings } from "./options.ts";
import { checkWorkspace, readBody, readCreation, readFrom, readName } from "./requests.ts";
import { sessionActions } from "./session-routes.ts";
import type { Sessions } from "./sessions.ts";

export type RouteCall = {
  readonly method: string;
  /** The path, without its first slash, taken apart and unescaped. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
  readonly response: ServerResponse;
};

const notFound: Answer = { status: 404, text: "404 page not found\n" };
const wrongMethod: Answer = { status: 405, text: "Method Not Allowed\n" };

/** Answers a request; undefined when the response is a stream. Refusals are answers too. */
export async function answerRequest(
  sessions: Sessions,
  settings: Settings,
  call: RouteCall,
): Promise<Answer | undefined> {
  try {
    return await route(sessions, settings, call);
  } catch (error) {
    const refusal = asError(error);
    if (!refusal) throw error;
    return { status: refusal.status, json: refusal };
  }
}

/** The last fixed part of a path, which tells routes apart. */
export function routeName(parts: readonly string[]): string {
  return (parts[0] === "v1" ? (parts[3] ?? parts[1]) : parts[0]) ?? "";
}

async function route(
  sessions: Sessions,
  settings: Settings,
  call: RouteCall,
): Promise<Answer | undefined> {
  const { method, parts, query } = call;
  const [root, collection, id, action] = parts;
  const { version, protocol, missingRoutes } = settings;
  const line = `${method} ${parts.join("/")}`;
  if (line === "GET health") return { status: 200, json: { status: "ok" } };
  if (line === "GET version") return { status: 200, json: { version, protocol } };
  if (root !== "v1" || missingRoutes.includes(routeName(parts))) return notFound;
  if (line === "GET v1/specs") return listSpecs(settings, query);
  if (collection !== "sessions") return notFound;
  if (id === undefined) {
    if (method === "GET") return { status: 200, json: sessions.all().map(shown) };
    if (method !== "POST") return wrongMethod;
    return { status: 201, json: shown(sessions.create(readCreation(call.body))) };
  }
  if (action !== undefined) return await routeAction(sessions, settings, call, id, action);
  if (method === "GET") return { status: 200, json: shown(sessions.find(id)) };
  if (method !== "DELETE") return wrongMethod;
  await sessions.delete(id);
  return { status: 204 };
}

async function routeAction(
  sessions: Sessions,
  settings: Settings,
  { method, parts, query, body, response }: RouteCall,
  id: string,
  action: string,
): Promise<Answer | undefined> {
  if (action === "events") {
    if (method !== "GET") return wrongMethod;
    sessions.find(id);
    sessions.stream(id, readFrom(query.get("from")), response);
    return undefined;
  }
  const perform = Object.hasOwn(sessionActions, action) ? sessionActions[action] : undefined;
  if (!perform && action !== "name") return notFound;
  if (method !== "POST") return wrongMethod;
  if (perform) {
    const rest = parts.slice(4);
    return await perform(sessions.find(id), body, { settings, rest, response });
  }
  sessions.rename(id, readName(readBody(renameSessionRequestSchema, body).name));
  return { status: 204 };
}

function listSpecs(settings: Settings, query: URLSearchParams): Answer {
  checkWorkspace(query.get("workspace") ?? "");
  const measured = query.get("measure") !== "false";
  const specs = settings.specs.map((folder) =>
    measured ? folder : { ...folder, unmet: 0, pending: false, measured },
  );
  return { status: 200, json: { specs: specs.length === 0 ? null : specs } };
}

/** A session's answer; it is a look, too. */
function shown(session: FakeSession): unknown {
  return JSON.parse(formatBody(sessionSchema, session.look()));
}
