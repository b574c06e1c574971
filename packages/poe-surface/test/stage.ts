import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EventBody, LogEvent } from "@acp-kit/router";
import { createPoeReader, type PoeReader } from "@acp-kit/testkit";
import { EventSocket } from "../src/event-socket.ts";
import { RESPONSE_LIMITS, type ResponseLimits } from "../src/limits.ts";
import { Presentation } from "../src/presentation.ts";
import { createReader } from "../src/reader.ts";
import { plainRenderer } from "./plain-renderer.ts";

/** A response on a real connection, whose time a test makes pass. */
export class Stage implements AsyncDisposable {
  readonly presentation: Presentation;
  /** What the client has read. */
  readonly reader: PoeReader = createPoeReader();
  /** When something went out, in milliseconds since the epoch. */
  readonly writes: number[] = [];
  readonly #outgoing: ServerResponse;
  readonly #client: Promise<void>;
  readonly #close: () => Promise<void>;
  #now: number;
  #seq = 0;

  static async open(at: number, limits: Partial<ResponseLimits> = {}): Promise<Stage> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const asked = once(server, "request");
    const answered = once(get({ port, host: "127.0.0.1", agent: false }), "response");
    const [, outgoing] = (await asked) as [IncomingMessage, ServerResponse];
    const stage = new Stage(
      outgoing,
      answered as Promise<[IncomingMessage]>,
      at,
      limits,
      async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    );
    await stage.presentation.begin();
    stage.presentation.read(createReader({ own: ["t"], after: 0, othersAfter: 0, backlog: 0 }));
    await stage.add({ kind: "turn-start", who: "ana" });
    return stage;
  }

  private constructor(
    outgoing: ServerResponse,
    answered: Promise<[IncomingMessage]>,
    at: number,
    limits: Partial<ResponseLimits>,
    close: () => Promise<void>,
  ) {
    this.#outgoing = outgoing;
    this.#now = at;
    this.#close = close;
    this.presentation = new Presentation({
      socket: new EventSocket(outgoing, 30_000, () => undefined),
      renderer: plainRenderer,
      show: { thoughts: true, plan: true, tools: true, toolDetails: false },
      limits: { ...RESPONSE_LIMITS, ...limits },
      now: () => this.#now,
      note: () => undefined,
    });
    this.#client = answered.then(async ([incoming]) => {
      for await (const bytes of incoming) this.reader.push(bytes as Buffer);
      this.reader.end();
    });
  }

  /** Texts of the frames of one kind, in their order. */
  texts(event: "text" | "replace_response"): string[] {
    return this.reader.frames.flatMap((frame) =>
      "event" in frame && frame.event === event && "text" in frame.data
        ? [String(frame.data.text)]
        : [],
    );
  }

  /** Lets time pass, and sends on the way whatever is due. */
  async passTo(at: number): Promise<void> {
    while (this.presentation.nextAt <= at) {
      this.#now = Math.max(this.#now, this.presentation.nextAt);
      await this.#tick();
    }
    this.#now = Math.max(this.#now, at);
  }

  /** Something happens now. */
  async add(body: EventBody): Promise<void> {
    const event: LogEvent = { ...body, seq: ++this.#seq, at: this.#now, turn: "t" };
    this.presentation.fold([event]);
    if (this.presentation.nextAt <= this.#now) await this.#tick();
  }

  /** Ends the response; resolves when the client has read all of it. */
  async finish(): Promise<void> {
    await this.presentation.finish();
    await this.#client;
  }

  async #tick(): Promise<void> {
    const before = this.#outgoing.socket?.bytesWritten ?? 0;
    await this.presentation.tick();
    if ((this.#outgoing.socket?.bytesWritten ?? 0) > before) this.writes.push(this.#now);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
