import { agentMethods } from "./agent-methods.ts";
import { Args } from "./args.ts";
import { chatMethods } from "./chat-methods.ts";
import { SlackFailure } from "./failure.ts";
import { fileMethods } from "./file-methods.ts";
import type { Method, Methods } from "./method.ts";
import { Rates } from "./rates.ts";
import { reactionMethods, readMethods } from "./read-methods.ts";
import { streamMethods } from "./stream-methods.ts";
import { viewMethods } from "./view-methods.ts";
import type { Workspace } from "./workspace.ts";

/** A call as it came in. */
export type SlackCall = {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `ok`, or the platform's word for why not. */
  outcome: string;
};

export type ApiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

const methods: Methods = {
  ...agentMethods,
  ...chatMethods,
  ...fileMethods,
  ...reactionMethods,
  ...readMethods,
  ...streamMethods,
  ...viewMethods,
};

/** The Web API of one workspace, without HTTP. */
export class Api {
  /** What was called, in order. */
  readonly calls: SlackCall[] = [];
  /** False after the app was removed. */
  isInstalled = true;
  readonly #workspace: Workspace;
  readonly #rates: Rates;
  readonly #openSocket: () => string;

  /** @param openSocket - Gives the address of a new connection. */
  constructor(workspace: Workspace, openSocket: () => string) {
    this.#workspace = workspace;
    this.#rates = new Rates(workspace.settings.app.isCommercial);
    this.#openSocket = openSocket;
  }

  /** @param token - As in the `authorization` header, or empty when there is none. */
  answer(method: string, token: string, body: string, contentType: string): ApiAnswer {
    const call: SlackCall = { method, args: {}, at: this.#workspace.now(), outcome: "ok" };
    this.calls.push(call);
    const { scopes } = this.#workspace.settings.app;
    const headers = { "x-oauth-scopes": scopes.join(",") };
    try {
      const found = this.#find(method);
      const isUnseen = found.formOnly && contentType.startsWith("application/json");
      const args = isUnseen ? new Args({}) : Args.parse(body, contentType);
      Object.assign(call, { args: withoutToken(args.values) });
      this.#authorize(found, token === "" ? args.text("token") : token);
      const wait = this.#limit(method, found, args);
      if (wait !== undefined) {
        call.outcome = "ratelimited";
        return rateLimited(wait, 429);
      }
      return { status: 200, headers, body: { ok: true, ...found.run(this.#workspace, args) } };
    } catch (error) {
      if (!(error instanceof SlackFailure)) throw error;
      call.outcome = error.code;
      return { status: 200, headers, body: { ok: false, error: error.code, ...error.details } };
    }
  }

  #find(method: string): Method {
    if (method === "apps.connections.open") {
      const run = () => ({ url: this.#openSocket() });
      return { rate: 3, token: "app", run };
    }
    const found = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!found) throw new SlackFailure("unknown_method", { req_method: method });
    return found;
  }

  #authorize({ token: kind, scope }: Method, token: string): void {
    const { botToken, appToken, scopes } = this.#workspace.settings.app;
    if (token === "") throw new SlackFailure("not_authed");
    if (token !== botToken && token !== appToken) throw new SlackFailure("invalid_auth");
    if (!this.isInstalled) throw new SlackFailure("account_inactive");
    if ((token === appToken) !== (kind === "app")) throw new SlackFailure("not_allowed_token_type");
    if (scope !== undefined && !scopes.includes(scope)) {
      throw new SlackFailure("missing_scope", { needed: scope, provided: scopes.join(",") });
    }
  }

  #limit(method: string, { rate }: Method, args: Args): number | undefined {
    if (!this.#workspace.settings.rates) return undefined;
    return this.#rates.admit(method, rate, args.text("channel"), this.#workspace.now());
  }
}

/** @param status - 429; or 200, with the word in the answer. */
export function rateLimited(retryAfterS: number, status: 429 | 200): ApiAnswer {
  return {
    status,
    headers: { "retry-after": String(retryAfterS) },
    body: { ok: false, error: "ratelimited" },
  };
}

function withoutToken(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { token: _, ...rest } = values;
  return rest;
}
