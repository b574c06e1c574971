import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { formatPython } from "./format-python.ts";

/** What the next call meets instead of an answer. */
export type FakePoeFault =
  | { kind: "answer"; status: number; body: string; headers?: Record<string, string> }
  /** Headers and then nothing, as long as the client waits. */
  | { kind: "silence" }
  /** The connection breaks inside the answer. */
  | { kind: "cut" };

/** Of a file that was sent, `bytes`; of one that Poe is to fetch itself, `url`. */
export type FakePoeUpload = { name?: string; contentType?: string; bytes?: Buffer; url?: string };

export type FakePoeCost = {
  verb: "authorize" | "capture";
  botQueryId: string;
  amounts: readonly { amount_usd_milli_cents: number; description: string | null }[];
};

export type FakePoeOptions = {
  accessKey: string;
  /** The bot's name on Poe. */
  bot: string;
  /** Where the bot listens, for `fetch_settings`. */
  botUrl?: string;
  /** What the person owns, in thousandths of a US cent. [1,000,000] */
  funds?: number;
};

/**
 * Poe's own side on loopback: the calls that a bot makes to it, and what they left behind. Whatever
 * Poe's Python library would not send is refused with 400, and stands in `violations`.
 */
export class FakePoe {
  readonly uploads: FakePoeUpload[] = [];
  readonly costs: FakePoeCost[] = [];
  /** The bot's settings as Poe knows them, newest last. */
  readonly settings: unknown[] = [];
  readonly violations: string[] = [];
  /** Thousandths of a US cent that the person has left. */
  funds: number;
  readonly #options: FakePoeOptions;
  readonly #faults: FakePoeFault[] = [];
  readonly #server: Server;
  #open = 0;

  private constructor(options: FakePoeOptions) {
    this.#options = options;
    this.funds = options.funds ?? 1_000_000;
    this.#server = createServer((incoming, outgoing) => {
      this.#open += 1;
      outgoing.once("close", () => {
        this.#open -= 1;
      });
      this.#answer(incoming, outgoing).catch((error: unknown) => {
        this.#refuse(outgoing, String(error));
      });
    });
  }

  static async start(options: FakePoeOptions): Promise<FakePoe> {
    const poe = new FakePoe(options);
    poe.#server.listen(0, "127.0.0.1");
    await once(poe.#server, "listening");
    return poe;
  }

  /** Base of the `bot/…` calls: api.poe.com in the world. */
  get apiUrl(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** On 127.0.0.1. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Base of uploads. */
  get uploadUrl(): string {
    return `${this.apiUrl}poe_api/`;
  }

  /** Answers that are not finished. */
  get open(): number {
    return this.#open;
  }

  /** The next call meets this; several wait for one call each. */
  fail(fault: FakePoeFault): void {
    this.#faults.push(fault);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = this.#faults.shift();
    if (fault !== undefined) return misbehave(outgoing, fault);
    const { accessKey, bot } = this.#options;
    const asked = `${incoming.method} ${incoming.url}`;
    if (asked === "POST /poe_api/file_upload_3RD_PARTY_POST") {
      return this.#upload(incoming, outgoing);
    }
    const cost = /^POST \/bot\/cost\/([^/]+)\/(authorize|capture)$/.exec(asked);
    if (cost !== null) {
      const botQueryId = decodeURIComponent(cost[1] ?? "");
      return this.#cost(incoming, outgoing, botQueryId, cost[2] as FakePoeCost["verb"]);
    }
    const known = `${encodeURIComponent(bot)}/${encodeURIComponent(accessKey)}/1.2`;
    if (asked === `POST /bot/fetch_settings/${known}`) return this.#fetchSettings(outgoing);
    if (asked === `POST /bot/update_settings/${known}`) {
      return this.#keep(outgoing, JSON.parse(await text(incoming)));
    }
    this.#refuse(outgoing, `nothing is at ${asked}`);
  }

  async #upload(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.headers.authorization !== this.#options.accessKey) {
      outgoing.writeHead(401).end("wrong key");
      return;
    }
    const type = incoming.headers["content-type"] ?? "";
    const body = await buffer(incoming);
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    const file = form.get("file");
    const url = form.get("download_url");
    const name = form.get("download_filename");
    if (file instanceof File) {
      const bytes = Buffer.from(await file.arrayBuffer());
      this.uploads.push({ name: file.name, contentType: file.type, bytes });
    } else if (typeof url === "string") {
      this.uploads.push({ url, ...(typeof name === "string" ? { name } : {}) });
    } else {
      return this.#refuse(outgoing, "an upload has neither a file nor a download_url");
    }
    const attachment = {
      attachment_url: `${this.apiUrl}files/${this.uploads.length}`,
      mime_type: this.uploads.at(-1)?.contentType || "application/octet-stream",
    };
    outgoing.setHeader("content-type", "application/json").end(JSON.stringify(attachment));
  }

  async #fetchSettings(outgoing: ServerResponse): Promise<void> {
    const { accessKey, botUrl } = this.#options;
    if (botUrl === undefined) return this.#refuse(outgoing, "the bot listens nowhere");
    const reply = await fetch(botUrl, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${accessKey}` },
      body: JSON.stringify({ version: "1.2", type: "settings" }),
    });
    this.#keep(outgoing, await reply.json());
  }

  #keep(outgoing: ServerResponse, settings: unknown): void {
    this.settings.push(settings);
    outgoing.end(`Settings of ${this.#options.bot}: ${formatPython(settings)}`);
  }

  async #cost(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    botQueryId: string,
    verb: FakePoeCost["verb"],
  ): Promise<void> {
    const { amounts, access_key: key } = JSON.parse(await text(incoming));
    outgoing.setHeader("content-type", "text/event-stream");
    if (key !== this.#options.accessKey) {
      outgoing.writeHead(403).end(formatEvent("error", { message: "wrong key" }));
      return;
    }
    let sum = 0;
    for (const { amount_usd_milli_cents: amount } of amounts) {
      if (!Number.isSafeInteger(amount)) return this.#refuse(outgoing, `${amount} is no amount`);
      sum += amount;
    }
    this.costs.push({ verb, botQueryId, amounts });
    const isCovered = sum <= this.funds;
    if (isCovered && verb === "capture") this.funds -= sum;
    outgoing.write(`: ping\r\n\r\n`);
    // Not ended: the client knows enough.
    outgoing.write(formatEvent("result", { status: isCovered ? "success" : "insufficient_fund" }));
  }

  #refuse(outgoing: ServerResponse, violation: string): void {
    this.violations.push(violation);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(400).end(violation);
  }
}

function misbehave(outgoing: ServerResponse, fault: FakePoeFault): void {
  switch (fault.kind) {
    case "answer":
      outgoing.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    case "silence":
      outgoing.writeHead(200).flushHeaders();
      return;
    case "cut":
      outgoing.writeHead(200, { "content-length": 100 }).write("x", () => outgoing.destroy());
  }
}

function formatEvent(event: string, data: object): string {
  return `event: ${event}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`;
}
