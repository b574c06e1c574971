import type { Readable, Writable } from "node:stream";
import { Readable as NodeReadable, Writable as NodeWritable } from "node:stream";
import { agent, client, ndJsonStream } from "@agentclientprotocol/sdk";
import { Conn } from "../src/index.ts";

/** A connection under test: what a bench needs of it. */
export interface Peer {
  request(method: string, params: object): Promise<unknown>;
}

export type Library = "ours" | "sdk";

/** A client on Node streams, calling `onUpdate` for each session/update. */
export const connectClient: Record<
  Library,
  (readable: Readable, writable: Writable, onUpdate: () => void) => Peer
> = {
  ours(readable, writable, onUpdate) {
    const conn = new Conn({ readable, writable });
    conn.handleNotify("session/update", onUpdate);
    void conn.serve();
    return conn;
  },
  sdk(readable, writable, onUpdate) {
    const app = client({ name: "bench" }).onNotification("session/update", onUpdate);
    return app.connect(toSdkStream(readable, writable)).agent;
  },
};

/** The least that asks and takes one answer at a time: each comes whole, in one chunk. */
export function connectFloor(readable: Readable, writable: Writable): Peer {
  let take: (result: unknown) => void = () => {};
  let id = 0;
  readable.on("data", (chunk: Buffer) => take(parseChunk(chunk).result));
  return {
    request: (method, params) =>
      new Promise((resolve) => {
        take = resolve;
        writable.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
      }),
  };
}

function parseChunk(chunk: Buffer): { id?: unknown; result?: unknown } {
  return JSON.parse(chunk.toString("utf8", 0, chunk.length - 1)) as { id?: unknown };
}

/** An agent on Node streams that answers every prompt at once. */
export const serveAgentOn: Record<
  Library | "floor",
  (readable: Readable, writable: Writable) => void
> = {
  floor(readable, writable) {
    readable.on("data", (chunk: Buffer) => {
      const { id } = parseChunk(chunk);
      const answer = { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } };
      writable.write(`${JSON.stringify(answer)}\n`);
    });
  },
  ours(readable, writable) {
    const conn = new Conn({ readable, writable });
    conn.handle("session/prompt", () => ({ stopReason: "end_turn" }));
    void conn.serve();
  },
  sdk(readable, writable) {
    agent({ name: "bench" })
      .onRequest("session/prompt", () => ({ stopReason: "end_turn" }))
      .connect(toSdkStream(readable, writable));
  },
};

export function toSdkStream(readable: Readable, writable: Writable) {
  return ndJsonStream(
    NodeWritable.toWeb(writable) as WritableStream<Uint8Array>,
    NodeReadable.toWeb(readable) as ReadableStream<Uint8Array>,
  );
}
