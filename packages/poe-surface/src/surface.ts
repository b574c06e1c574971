import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import {
  type ErrorEvent,
  type HttpAnswer,
  lastUserMessage,
  type PoeRequest,
  type QueryRequest,
  type ReportReactionRequest,
  readPoeRequest,
} from "@acp-kit/poe-protocol";
import {
  type CreateSurface,
  formatConversationKey,
  type Inbound,
  type Person,
  parsePairing,
  type RelaySurface,
  type SurfaceContext,
} from "@acp-kit/relay";
import type { MarkupRenderer } from "@acp-kit/router";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { EventSocket } from "./event-socket.ts";
import { KeyFailures } from "./key-failures.ts";
import { RESPONSE_LIMITS, type ResponseLimits } from "./limits.ts";
import { Line } from "./line.ts";
import { Panels } from "./panels.ts";
import { isPoeBot, type PoeSurfaceBot } from "./poe-bot.ts";
import { PoeResponse } from "./response.ts";
import type { OpenResponse, ResponseHost } from "./response-host.ts";
import { SettingsNews } from "./settings-news.ts";
import { readTranscript } from "./transcript.ts";
import { Uploads } from "./uploads.ts";
import type { Verdict } from "./verdict.ts";
import { words } from "./words.ts";

export type PoeSurfaceOptions = {
  /** The markup of the app: `render` gives one part, the whole body of a turn. */
  readonly renderer: MarkupRenderer<string>;
  /** Default: {@link RESPONSE_LIMITS}. */
  readonly limits?: Partial<ResponseLimits>;
  /** Base of Poe's upload call, and of its other calls. Default: Poe's own. */
  readonly uploadUrl?: string;
  readonly apiUrl?: string;
};

/** Poe as a surface of the relay. */
export function createPoeSurface(options: PoeSurfaceOptions): CreateSurface {
  return (context) => new PoeSurface(context, options);
}

class PoeSurface implements RelaySurface {
  readonly #context: SurfaceContext;
  readonly #host: ResponseHost;
  readonly #failures: KeyFailures;
  readonly #bots: ReadonlyMap<string, PoeSurfaceBot>;
  readonly #panels: Panels;
  readonly #news: SettingsNews;
  #watch: Disposable | undefined;
  #isDraining = false;

  constructor(context: SurfaceContext, options: PoeSurfaceOptions) {
    const { renderer, uploadUrl, apiUrl } = options;
    const limits = { ...RESPONSE_LIMITS, ...options.limits };
    const { router, log, journal, now, bots, notes, offers } = context;
    this.#context = context;
    this.#failures = new KeyFailures(log, journal, now);
    this.#bots = new Map(bots.filter(isPoeBot).map((bot) => [bot.settings.path, bot]));
    const panels = new Panels(offers, context.commands.names);
    this.#panels = panels;
    const settingsOf = (bot: PoeSurfaceBot) => panels.settingsOf(bot);
    this.#news = new SettingsNews({ settingsOf, notes, log, apiUrl });
    const uploads = new Uploads({ router, log, journal, uploadUrl });
    const shared = { line: new Line<OpenResponse>(), surface: randomUUID(), uploads };
    this.#host = { router, renderer, limits, log, journal, now, ...shared };
  }

  async fetch(request: Request, env: HttpBindings): Promise<Response> {
    const bot = this.#bots.get(new URL(request.url).pathname);
    if (!bot) return new Response("not found\n", { status: 404 });
    if (request.method === "GET" || request.method === "HEAD") {
      return new Response("A bot for Poe is running here.\n");
    }
    if (request.method !== "POST") {
      return new Response("method not allowed\n", { status: 405, headers: { allow: "GET, POST" } });
    }
    const { incoming, outgoing } = env;
    const keys = bot.settings.accessKeys;
    const read = await readPoeRequest(incoming, { keys }).catch((error: unknown) => {
      if (!incoming.destroyed) throw error;
    });
    // The client left inside the body.
    if (!read) return RESPONSE_ALREADY_SENT;
    if (read.type === "unauthorized") {
      const source = incoming.socket.remoteAddress ?? "";
      if (await this.#failures.admit(bot.name, source)) return refuse(read.refusal);
      incoming.destroy();
      return RESPONSE_ALREADY_SENT;
    }
    if (read.type === "too-large") {
      this.#note(bot, "request", { decision: "refuse", reason: "too-large" });
      this.#tell(outgoing, words.tooLarge, {
        allow_retry: false,
        error_type: "user_message_too_long",
      });
      return RESPONSE_ALREADY_SENT;
    }
    return this.#answer(bot, read, outgoing);
  }

  async resume(): Promise<void> {
    const { offers } = this.#context;
    const bots = [...this.#bots.values()];
    const tell = (agent: string) => {
      for (const bot of bots) if (bot.agent === agent) void this.#news.tell(bot);
    };
    this.#watch = offers?.onChange(tell);
    // Until an agent has been asked, its bot would lose the models that Poe knows.
    for (const bot of bots) if (!offers || offers.of(bot.agent)) void this.#news.tell(bot);
  }

  async drain(seal: AbortSignal): Promise<void> {
    this.#isDraining = true;
    this.#watch?.[Symbol.dispose]();
    await this.#news[Symbol.asyncDispose]();
    const { line, uploads } = this.#host;
    const sealAll = () => {
      for (const response of line.all) response.seal();
    };
    seal.addEventListener("abort", sealAll);
    if (seal.aborted) sealAll();
    await line.empty();
    await uploads[Symbol.asyncDispose]();
  }

  #answer(bot: PoeSurfaceBot, request: PoeRequest, outgoing: ServerResponse): Response {
    switch (request.type) {
      case "query":
        this.#query(bot, request, outgoing);
        return RESPONSE_ALREADY_SENT;
      case "settings":
        this.#note(bot, request.type, { decision: "serve", reason: "settings" });
        return Response.json(this.#panels.settingsOf(bot));
      case "report_error":
        this.#note(bot, request.type, { decision: "serve", reason: "platform-error" });
        this.#context.log.warn(
          { bot: bot.name, message: request.message.slice(0, 500) },
          "Poe reported an error",
        );
        return Response.json({});
      case "report_reaction":
        this.#passOn(bot, request);
        return Response.json({});
      case "report_feedback":
        this.#context.log.info(
          { bot: bot.name, feedback: request.feedback_type.slice(0, 50) },
          "Poe passed feedback on",
        );
        this.#note(bot, request.type, { decision: "serve", reason: "feedback" });
        return Response.json({});
      case "unknown":
      case "malformed":
        this.#note(bot, "request", { decision: "refuse", reason: request.type });
        return refuse(request.refusal);
    }
  }

  /** The platform has its answer in any case: nothing is shown of what the agent makes of it. */
  #passOn(bot: PoeSurfaceBot, request: ReportReactionRequest): void {
    const { people, router, log } = this.#context;
    const { conversation_id: id, user_id: user, message_id: message, reaction, action } = request;
    const isAdmitted = people.roleOf(personOf(bot, user)) !== undefined;
    const isTaken = isAdmitted && id !== "" && reaction !== "" && !this.#isDraining;
    const dropped = !isAdmitted ? "not-allowed" : this.#isDraining ? "restarting" : "empty-message";
    const verdict: Verdict = isTaken
      ? { decision: "run", reason: "reaction" }
      : { decision: "drop", reason: dropped };
    this.#note(bot, request.type, { ...verdict, user, message });
    if (!isTaken) return;
    const conversation = formatConversationKey({ surface: "poe", bot: bot.name, id });
    router
      .reportReaction(conversation, user, message, reaction, action)
      .catch((error: unknown) => log.error({ err: error }, "a reaction was not passed on"));
  }

  #query(bot: PoeSurfaceBot, query: QueryRequest, outgoing: ServerResponse): void {
    const { people, commands, now } = this.#context;
    const user = query.user_id;
    const person = personOf(bot, user);
    const message = lastUserMessage(query);
    const code = parsePairing(message?.content ?? "");
    const ids = { user, message: message?.message_id };
    if (code !== undefined) {
      const { kind, text } = people.pair(person, code);
      this.#note(bot, "query", { ...ids, decision: "command", reason: `pairing-${kind}` });
      this.#tell(outgoing, text);
      return;
    }
    const admission = people.admit(person);
    if (admission.kind === "refused") {
      this.#note(bot, "query", { ...ids, decision: "refuse", reason: "not-allowed" });
      this.#tell(outgoing, admission.text);
      return;
    }
    if (this.#isDraining) {
      this.#note(bot, "query", { ...ids, decision: "refuse", reason: "restarting" });
      this.#tell(outgoing, words.restarting, { allow_retry: true });
      return;
    }
    // Without an id a request has a conversation of its own: two people must never meet in the nameless one.
    const id = query.conversation_id === "" ? randomUUID() : query.conversation_id;
    const isAdmitted = (sender: string) => people.roleOf(personOf(bot, sender)) !== undefined;
    const conversation = formatConversationKey({ surface: "poe", bot: bot.name, id });
    const said = {
      text: message?.content ?? "",
      key: message?.message_id ?? "",
      user,
      role: admission.role,
    };
    const transcript = readTranscript(query.query, isAdmitted, (text) => commands.isSecret(text));
    const at = now();
    const about = { conversation, bot: bot.name, query: transcript, at };
    // Before anything of the message is kept: it may be a secret.
    const command = commands.recognise({ ...said, ...about });
    const response = new PoeResponse(
      outgoing,
      {
        bot,
        conversation,
        message: command?.isSecret ? { ...said, text: "" } : said,
        command,
        query: command?.isSecret ? [] : transcript,
        request: query.message_id,
        options: this.#panels.optionsOf(bot, message?.parameters),
      },
      this.#host,
    );
    void response.run();
  }

  #note(
    { name: bot }: PoeSurfaceBot,
    what: string,
    inbound: Verdict & Pick<Inbound, "user" | "message">,
  ): void {
    this.#context.journal.note({ surface: "poe", bot, what, ...inbound });
  }

  /** A whole response that says one thing. */
  #tell(outgoing: ServerResponse, text: string, error?: Omit<ErrorEvent["data"], "text">): void {
    const { renderer, limits, log } = this.#host;
    const socket = new EventSocket(outgoing, limits.writeTimeoutMs, () => undefined);
    const said = { kind: "text", text: renderer.say(error ? "error" : "notice", text) } as const;
    const end = error
      ? ({ kind: "fail", error: { ...error, text } } as const)
      : ({ kind: "done" } as const);
    socket
      .end([said, end])
      .catch((cause: unknown) => log.error({ err: cause }, "a response failed"));
  }
}

function personOf(bot: PoeSurfaceBot, user: string): Person {
  return { surface: "poe", bot: bot.name, user };
}

function refuse(refusal: HttpAnswer): Response {
  return new Response(refusal.body, refusal);
}
