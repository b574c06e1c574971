import type { Readable, Writable } from "node:stream";

/** Two byte streams, each from Node or from the web platform; lines of JSON travel on them. */
export interface ByteIo {
  readonly readable: Readable | ReadableStream<Uint8Array>;
  readonly writable: Writable | WritableStream<Uint8Array>;
}

/** Streams of parsed messages, such as the `Stream` of the ACP SDK. */
export interface MessageIo {
  readonly messages: {
    readonly readable: ReadableStream<unknown>;
    readonly writable: WritableStream<unknown>;
  };
}

export type ConnIo = ByteIo | MessageIo;

/** An input that calls back for each chunk, and once at its end. */
export interface Source {
  start(onChunk: (chunk: unknown) => void, onEnd: (error?: Error) => void): void;
  pause(): void;
  resume(): void;
  /** Stops reading; `onEnd` is not called any more. */
  stop(): void;
}

/** An output of frames. */
export interface Sink {
  encode(message: object): Frame;
  /** Returns a promise when the peer has to read first; it resolves when there is room again. */
  write(frames: readonly Frame[]): Promise<void> | undefined;
  /** Ends the output after what was written; resolves when the stream has taken it all. */
  end(): Promise<void>;
  /** Tells when the stream takes nothing any more; with an error when it broke. */
  onGone(listener: (error?: Error) => void): void;
}

/** One encoded message and its size in bytes. */
export interface Frame {
  readonly data: unknown;
  readonly bytes: number;
}

export function createSource(io: ConnIo): Source {
  if ("messages" in io) return createWebSource(io.messages.readable);
  return "getReader" in io.readable ? createWebSource(io.readable) : createNodeSource(io.readable);
}

export function createSink(io: ConnIo): Sink {
  if ("messages" in io) return createMessageSink(io.messages.writable);
  return "getWriter" in io.writable ? createWebSink(io.writable) : createNodeSink(io.writable);
}

function createNodeSource(readable: Readable): Source {
  let stopped = false;
  let stop = () => {};
  return {
    start(onChunk, onEnd) {
      const end = (error?: Error) => {
        if (stopped) return;
        stop();
        onEnd(error);
      };
      const onClose = () => end();
      stop = () => {
        stopped = true;
        readable.off("data", onChunk).off("end", onClose).off("close", onClose).pause();
      };
      // Errors stay listened to after the end: a late one must not become an uncaught exception.
      readable.on("error", end);
      readable.on("data", onChunk).on("end", onClose).on("close", onClose);
    },
    pause: () => void readable.pause(),
    resume: () => void readable.resume(),
    stop: () => stop(),
  };
}

function createWebSource(readable: ReadableStream<unknown>): Source {
  const reader = readable.getReader();
  let stopped = false;
  let paused: PromiseWithResolvers<void> | undefined;
  return {
    start(onChunk, onEnd) {
      const read = async () => {
        for (;;) {
          await paused?.promise;
          const { value, done } = await reader.read();
          if (stopped) return;
          if (done) return onEnd();
          onChunk(value);
        }
      };
      read().catch((error: Error) => {
        if (!stopped) onEnd(error);
      });
    },
    pause: () => {
      paused ??= Promise.withResolvers();
    },
    resume: () => {
      paused?.resolve();
      paused = undefined;
    },
    stop: () => {
      stopped = true;
      paused?.resolve();
      reader.cancel().catch(() => {});
    },
  };
}

function encodeLine(message: object): Frame {
  const data = `${JSON.stringify(message)}\n`;
  return { data, bytes: Buffer.byteLength(data) };
}

function joinLines(frames: readonly Frame[]): string {
  if (frames.length === 1) return frames[0]?.data as string;
  let text = "";
  for (const frame of frames) text += frame.data as string;
  return text;
}

function createNodeSink(writable: Writable): Sink {
  return {
    encode: encodeLine,
    write(frames) {
      if (writable.write(joinLines(frames))) return undefined;
      return new Promise((resolve) => {
        const done = () => {
          writable.off("drain", done).off("close", done);
          resolve();
        };
        writable.on("drain", done).on("close", done);
      });
    },
    end: () =>
      new Promise((resolve) => {
        if (writable.destroyed || writable.writableFinished) return resolve();
        writable.once("close", resolve);
        writable.end(resolve);
      }),
    onGone: (listener) => {
      // A stream that was closed before anybody listened says nothing any more.
      if (writable.closed) listener();
      writable.on("error", listener).on("close", () => listener());
    },
  };
}

function createWebSink(writable: WritableStream<Uint8Array>): Sink {
  const encoder = new TextEncoder();
  return createWriterSink(writable, {
    encode: encodeLine,
    chunks: (frames) => [encoder.encode(joinLines(frames))],
  });
}

/** What a message counts for in the queue of an object stream, where it has no size in bytes. */
const OBJECT_BYTES = 1024;

function createMessageSink(writable: WritableStream<unknown>): Sink {
  return createWriterSink(writable, {
    encode: (message) => ({ data: message, bytes: OBJECT_BYTES }),
    chunks: (frames) => frames.map((frame) => frame.data),
  });
}

function createWriterSink<T>(
  writable: WritableStream<T>,
  { encode, chunks }: Pick<Sink, "encode"> & { chunks: (frames: readonly Frame[]) => T[] },
): Sink {
  const writer = writable.getWriter();
  let gone: (error?: Error) => void = () => {};
  writer.closed.then(
    () => gone(),
    (error: Error) => gone(error),
  );
  return {
    encode,
    write(frames) {
      for (const chunk of chunks(frames)) writer.write(chunk).catch(() => {});
      return (writer.desiredSize ?? 0) > 0 ? undefined : writer.ready.catch(() => {});
    },
    end: () => writer.close().catch(() => {}),
    onGone: (listener) => {
      gone = listener;
    },
  };
}
