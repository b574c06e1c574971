import { randomBytes } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { POE_LIMITS, type PoeLimits } from "@acp-kit/poe-protocol";
import { type PoeQuery, startPoeQuery } from "./query.ts";

export type PoeQueryOptions = {
  /** The newest message; with `messages`, which is then the whole transcript, leave it out. */
  text?: string;
  /** A transcript in the wire's own names, newest last. Missing keys get Poe's defaults. */
  messages?: readonly PoeDriverMessage[];
  /** [a new one] */
  conversation?: string;
  /** Of the newest message, where `text` makes it. [a new one] */
  messageId?: string;
  /** Of the answer. [a new one] */
  requestId?: string;
  /** [the driver's own] */
  userId?: string;
  /** Of the newest message, where `text` makes it. */
  parameters?: Readonly<Record<string, unknown>>;
  /** Aborting is `close()`. */
  signal?: AbortSignal;
};

export type PoeDriverMessage = { role: string; content: string } & Readonly<
  Record<string, unknown>
>;

export type PoeReply = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** `undefined` when the text is not JSON. */
  json: unknown;
};

/** Stands in for Poe, with its own connection per request. */
export type PoeDriver = {
  query(options: PoeQueryOptions): PoeQuery;
  settings(): Promise<PoeReply>;
  reportReaction(report: {
    conversation: string;
    messageId: string;
    reaction: string;
    /** Left out, as in the older of Poe's two shapes, where the sign stands in `reaction`. */
    action?: string;
    userId?: string;
  }): Promise<PoeReply>;
  reportError(report: { message: string; metadata?: object }): Promise<PoeReply>;
  /** Any body, as JSON or as raw text, and another `Authorization` header (null for none). */
  post(body: unknown, authorization?: string | null): Promise<PoeReply>;
};

const VERSION = "1.2";

/** An id in the shape that Poe documents: tag m, u, c or d, and 32 letters or digits. */
export function createPoeId(tag: "m" | "u" | "c" | "d"): string {
  return `${tag}-${randomBytes(16).toString("hex")}`;
}

/**
 * @param options.url - Where the bot listens, plain http.
 * @param options.key - The bot's access key.
 * @param options.limits - What counts as a violation; default Poe's own limits.
 */
export function createPoeDriver(options: {
  url: string;
  key: string;
  limits?: PoeLimits;
}): PoeDriver {
  const { url, key, limits = POE_LIMITS } = options;
  const ownUser = createPoeId("u");
  const headersWith = (authorization: string | null, accept: string) => ({
    "content-type": "application/json",
    "cache-control": "no-store",
    accept,
    ...(authorization === null ? {} : { authorization }),
  });

  const post: PoeDriver["post"] = async (body, authorization = `Bearer ${key}`) => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    const headers = headersWith(authorization, "*/*");
    const outgoing = request(url, { method: "POST", headers, agent: false });
    outgoing.once("response", arrived.resolve).once("error", arrived.reject);
    outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
    const incoming = await arrived.promise;
    const received = await text(incoming);
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      text: received,
      json: parseJson(received),
    };
  };

  return {
    query(options) {
      const ids = {
        conversation: options.conversation ?? createPoeId("c"),
        messageId: options.messageId ?? createPoeId("m"),
        requestId: options.requestId ?? createPoeId("m"),
        userId: options.userId ?? ownUser,
      };
      const messages = options.messages ?? [
        {
          role: "user",
          content: options.text ?? "",
          message_id: ids.messageId,
          parameters: options.parameters ?? {},
        },
      ];
      const body = {
        ...QUERY_DEFAULTS,
        query: messages.map((message) => ({ ...MESSAGE_DEFAULTS, ...message })),
        user_id: ids.userId,
        conversation_id: ids.conversation,
        message_id: ids.requestId,
      };
      const headers = headersWith(`Bearer ${key}`, "text/event-stream");
      const post = { url, headers, body: JSON.stringify(body) };
      return startPoeQuery(post, ids, limits, options.signal);
    },
    settings: () => post({ version: VERSION, type: "settings" }),
    reportReaction: ({ conversation, messageId, reaction, action, userId = ownUser }) =>
      post({
        version: VERSION,
        type: "report_reaction",
        message_id: messageId,
        user_id: userId,
        conversation_id: conversation,
        reaction,
        ...(action === undefined ? {} : { action }),
      }),
    reportError: ({ message, metadata = {} }) =>
      post({ version: VERSION, type: "report_error", message, metadata }),
    post,
  };
}

/** Poe's client sends every key, also those that say nothing. */
const QUERY_DEFAULTS = {
  version: VERSION,
  type: "query",
  metadata: "",
  api_key: "<missing>",
  access_key: "<missing>",
  temperature: null,
  skip_system_prompt: false,
  logit_bias: {},
  stop_sequences: [],
  language_code: "en",
  adopt_current_bot_name: null,
  bot_query_id: "",
  users: [],
  tools: null,
  tool_calls: null,
  tool_results: null,
  query_creation_time: null,
  extra_params: null,
};

const MESSAGE_DEFAULTS = {
  message_type: null,
  sender_id: null,
  sender: null,
  parameters: {},
  content_type: "text/markdown",
  timestamp: 0,
  message_id: "",
  feedback: [],
  attachments: [],
  metadata: null,
  referenced_message: null,
  reactions: [],
};

function parseJson(received: string): unknown {
  try {
    return JSON.parse(received);
  } catch {
    return undefined;
  }
}
