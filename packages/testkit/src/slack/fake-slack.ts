import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { Api, type ApiAnswer, rateLimited, type SlackCall } from "./api.ts";
import { Deliveries, type SlackDelivery } from "./deliveries.ts";
import { type SlackFault, SlackFaults } from "./faults.ts";
import { findDownload } from "./file-methods.ts";
import { HttpTransport } from "./http-transport.ts";
import { type FakeSlackOptions, fillSettings, type SlackSettings } from "./options.ts";
import { SlackPerson } from "./person.ts";
import type { SlackMessage, SlackSession } from "./records.ts";
import { ResponseUrls } from "./response-urls.ts";
import { SocketMode } from "./socket-mode.ts";
import { expire } from "./stream-methods.ts";
import { type SlackEvent, Workspace } from "./workspace.ts";

const channelTypes: Readonly<Record<string, string>> = {
  channel: "message.channels",
  group: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
};

const LOGIN_PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>";

/**
 * One workspace with one app, on loopback: the Web API with its limits, rates and errors, Socket Mode or signed HTTP,
 * and people who write, press buttons and read. Stricter than the platform where reports of it disagree.
 *
 * All time goes by `clock`; with a {@link ManualClock} nothing happens by itself.
 */
export class FakeSlack implements AsyncDisposable {
  readonly socketMode: SocketMode;
  readonly #settings: SlackSettings;
  readonly #workspace: Workspace;
  readonly #api: Api;
  readonly #deliveries: Deliveries;
  readonly #responseUrls: ResponseUrls;
  readonly #faults = new SlackFaults();
  readonly #server: Server;
  readonly #failures: unknown[] = [];

  private constructor(options: FakeSlackOptions) {
    const { host } = options;
    const address = () => (host === undefined ? `://127.0.0.1:${this.port}` : `s://${host}`);
    const settings = fillSettings(options, () => `http${address()}`);
    const { app, clock, transport } = settings;
    this.#settings = settings;
    this.#workspace = new Workspace(settings);
    this.socketMode = new SocketMode(clock, app.id, settings.pingEveryMs);
    this.#deliveries = new Deliveries(
      clock,
      transport === "socket"
        ? this.socketMode
        : new HttpTransport(transport.requestUrl, app.signingSecret, clock),
    );
    this.#api = new Api(
      this.#workspace,
      () => `ws${address()}/link/?ticket=${this.socketMode.createTicket()}`,
    );
    this.#responseUrls = new ResponseUrls(this.#workspace);
    this.#workspace.emit = (event) => this.#emit(event);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#failures.push(error);
        response.destroy();
      });
    });
    this.#server.on("upgrade", (request, socket, head) =>
      this.socketMode.upgrade(request, socket, head),
    );
  }

  static async start(options: FakeSlackOptions = {}): Promise<FakeSlack> {
    const slack = new FakeSlack(options);
    slack.#server.listen(0, "127.0.0.1");
    await once(slack.#server, "listening");
    return slack;
  }

  /** On 127.0.0.1. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return this.#settings.url();
  }

  /** For `slackApiUrl`. */
  get apiUrl(): string {
    return `${this.url}/api/`;
  }

  get app(): SlackSettings["app"] {
    return this.#settings.app;
  }

  get team(): string {
    return this.#settings.team;
  }

  /** The calls of the Web API, in order. */
  get calls(): readonly SlackCall[] {
    return this.#api.calls;
  }

  /** What the app was sent, in order. */
  get deliveries(): readonly SlackDelivery[] {
    return this.#deliveries.all;
  }

  /** Resolves when the app has acknowledged or refused everything; what waits for a repeat does not count. */
  async settled(): Promise<void> {
    await this.#deliveries.settled();
  }

  /** The next event comes twice. */
  duplicateNext(): void {
    this.#deliveries.duplicateNext();
  }

  person(id: string): SlackPerson {
    const user = this.#workspace.users.get(id);
    if (!user) throw new Error(`There is nobody with the id ${id}.`);
    return new SlackPerson(user, {
      workspace: this.#workspace,
      deliveries: this.#deliveries,
      responseUrls: this.#responseUrls,
    });
  }

  /** Messages that are there, in their order. */
  messages(channel: string): readonly SlackMessage[] {
    const all = this.#workspace.messages.filter((each) => each.channel === channel);
    for (const message of all) expire(this.#workspace, message);
    return all.filter(({ isDeleted }) => !isDeleted);
  }

  session(channel: string, thread: string): SlackSession | undefined {
    return this.#workspace.session(channel, thread);
  }

  /** Lets the next calls of a method meet a fault. `*` is any; `download`, `upload` and `respond` are not of the API. */
  fail(method: string, fault: SlackFault, times = 1): void {
    this.#faults.add(method, fault, times);
  }

  /** No fault waits any more. */
  heal(): void {
    this.#faults.clear();
  }

  /** Another app posts. Its bot may or may not look like a person. */
  sayAsBot(
    channel: string,
    text: string,
    as: {
      botId: string;
      appId: string;
      user: string;
      thread?: string;
      metadata?: Readonly<Record<string, unknown>>;
    },
  ): string {
    const { thread: threadTs, ...by } = as;
    return this.#workspace.post({ channel, text, threadTs, ...by }).ts;
  }

  /** A message changes as when a link of it unfurls: its text does not. */
  touch(channel: string, ts: string): void {
    const message = this.#workspace.find(channel, ts);
    if (message) this.#workspace.edit(message, () => undefined, false);
  }

  /** Sends the app any event. */
  emit(event: SlackEvent): void {
    this.#workspace.emit(event);
  }

  /** Removes the app from the workspace. */
  uninstall(): void {
    this.#workspace.emit({ type: "tokens_revoked", tokens: { bot: [this.app.bot] } });
    this.#workspace.emit({ type: "app_uninstalled" });
    this.#api.isInstalled = false;
  }

  archive(channel: string): void {
    const found = this.#workspace.channels.get(channel);
    if (found) found.isArchived = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socketMode[Symbol.dispose]();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  #emit(event: SlackEvent): void {
    const { app, team, enterprise = null, transport } = this.#settings;
    const name =
      event.type === "message" ? channelTypes[String(event["channel_type"])] : event.type;
    if (name === undefined || !app.events.includes(name)) return;
    const channel = this.#workspace.channels.get(String(event["channel"] ?? event["channel_id"]));
    this.#deliveries.event({
      ...(transport !== "socket" && { token: "deprecated" }),
      type: "event_callback",
      team_id: team,
      context_team_id: team,
      api_app_id: app.id,
      event,
      event_id: this.#workspace.id("Ev"),
      event_time: Math.floor(this.#workspace.now() / 1_000),
      authorizations: [
        {
          enterprise_id: enterprise,
          team_id: team,
          user_id: app.bot,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: channel?.isShared ?? false,
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "", "http://slack").pathname;
    const [, area = "", name = ""] = path.split("/");
    const method = area === "api" ? name : (areas[area] ?? area);
    const fault = this.#faults.take(method);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "break") return void response.destroy();
    if (fault?.kind === "hold") await fault.until;
    if (fault?.kind === "answer") {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    if (area === "api") await this.#call(name, request, response, fault);
    else if (area === "files-pri" || area === "files-tmb") this.#download(path, request, response);
    else if (area === "upload") await this.#upload(name, request, response);
    else if (area === "respond") {
      const answer = this.#responseUrls.answer(name, await text(request));
      response.writeHead(answer.status, { "content-type": "text/plain" }).end(answer.text);
    } else response.writeHead(404).end("not found");
  }

  async #call(
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    fault: SlackFault | undefined,
  ): Promise<void> {
    const body = await text(request);
    const failure = failureOf(fault);
    if (failure) {
      this.#api.calls.push({ method, args: {}, at: this.#workspace.now(), outcome: failure.code });
      return write(response, failure.answer);
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const type = request.headers["content-type"] ?? "";
    const answer = this.#api.answer(method, token, body, type);
    if (fault?.kind === "lose-answer") response.destroy();
    else if (fault?.kind === "false-error") write(response, errorAnswer(fault.error));
    else write(response, answer);
  }

  #download(path: string, request: IncomingMessage, response: ServerResponse): void {
    const { botToken, scopes } = this.#settings.app;
    const mayRead = scopes.includes("files:read");
    // Who may not have the file gets the page for signing in, and 200.
    if (request.headers.authorization !== `Bearer ${botToken}` || !mayRead) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(LOGIN_PAGE);
      return;
    }
    const file = findDownload(this.#workspace, path);
    if (!file) response.writeHead(404, { "content-type": "text/html" }).end(LOGIN_PAGE);
    else response.writeHead(200, { "content-type": file.mimetype }).end(file.bytes);
  }

  async #upload(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const upload = this.#workspace.uploads.get(id);
    const bytes = await readUpload(request);
    if (!upload || request.method !== "POST" || bytes.length !== upload.length) {
      response.writeHead(400).end("upload failed");
      return;
    }
    upload.bytes = bytes;
    response.writeHead(200).end(`OK - ${bytes.length}`);
  }
}

const areas: Readonly<Record<string, string>> = {
  "files-pri": "download",
  "files-tmb": "download",
};

function failureOf(
  fault: SlackFault | undefined,
): { readonly code: string; readonly answer: ApiAnswer } | undefined {
  if (fault?.kind === "error") return { code: fault.error, answer: errorAnswer(fault.error) };
  if (fault?.kind !== "rate-limit") return undefined;
  return { code: "ratelimited", answer: rateLimited(fault.retryAfterS, fault.status ?? 429) };
}

function errorAnswer(error: string): ApiAnswer {
  return { status: 200, headers: {}, body: { ok: false, error } };
}

function write(response: ServerResponse, { status, headers, body }: ApiAnswer): void {
  response
    .writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify(body));
}

/** Bytes come bare, or as the one part of a form. */
async function readUpload(request: IncomingMessage): Promise<Uint8Array> {
  const body = await buffer(request);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return body;
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const [part] = form.values();
  return part instanceof File ? new Uint8Array(await part.arrayBuffer()) : new Uint8Array();
}
