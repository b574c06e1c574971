import { PassThrough } from "node:stream";
import { type ByteIo, Conn, type ConnOptions } from "../src/index.ts";

/** One end of a connection that is written and read by hand, as lines of JSON. */
export class RawWire {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  /** The other end's streams. */
  readonly io: ByteIo = { readable: this.input, writable: this.output };
  /** What the other end wrote, one parsed message each. */
  readonly sent: Record<string, unknown>[] = [];
  #wake: (() => void)[] = [];

  constructor() {
    let rest = "";
    this.output.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.sent.push(JSON.parse(line) as Record<string, unknown>);
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  /** Writes messages in one chunk. */
  write(...messages: (object | string)[]): void {
    this.input.write(toLines(messages));
  }

  /** The other end's messages so far, when there are so many. */
  async received(count: number): Promise<Record<string, unknown>[]> {
    while (this.sent.length < count) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.sent;
  }

  /** The answer with this id. */
  async answerTo(id: string | number): Promise<Record<string, unknown>> {
    for (let count = 0; ; count = this.sent.length) {
      const answer = this.sent.find((message) => message["id"] === id);
      if (answer !== undefined) return answer;
      await this.received(count + 1);
    }
  }
}

/** A connection whose other end is written and read by hand. */
export class RawPeer extends RawWire {
  readonly conn: Conn;
  readonly served: Promise<void>;

  constructor(options: ConnOptions = {}, register: (conn: Conn) => void = () => {}) {
    super();
    this.conn = new Conn(this.io, options);
    register(this.conn);
    this.served = this.conn.serve();
  }

  end(): Promise<void> {
    this.input.end();
    return this.served;
  }
}

export function toLines(messages: readonly (object | string)[]): string {
  return messages
    .map((message) =>
      typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** What a promise rejected with; undefined when it did not. */
export const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
