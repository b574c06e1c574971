import { PassThrough } from "node:stream";
import { Conn, type ConnOptions } from "../src/index.ts";

/** A connection whose other end is written and read by hand, as lines of JSON. */
export class RawPeer {
  readonly conn: Conn;
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly served: Promise<void>;
  /** What the connection wrote, one parsed message each. */
  readonly sent: Record<string, unknown>[] = [];
  #wake: (() => void)[] = [];

  constructor(options: ConnOptions = {}, register: (conn: Conn) => void = () => {}) {
    this.conn = new Conn({ readable: this.input, writable: this.output }, options);
    register(this.conn);
    let rest = "";
    this.output.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.sent.push(JSON.parse(line) as Record<string, unknown>);
      for (const wake of this.#wake.splice(0)) wake();
    });
    this.served = this.conn.serve();
  }

  /** Writes messages in one chunk. */
  write(...messages: (object | string)[]): void {
    const lines = messages.map((message) =>
      typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
    );
    this.input.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** The connection's next messages, when there are so many. */
  async received(count: number): Promise<Record<string, unknown>[]> {
    while (this.sent.length < count) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.sent;
  }

  end(): Promise<void> {
    this.input.end();
    return this.served;
  }
}

/** What a promise rejected with; undefined when it did not. */
export const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
