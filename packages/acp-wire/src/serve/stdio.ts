import { Writable } from "node:stream";
import type { ByteIo } from "../io.ts";

/**
 * Stdin and stdout of this process as a connection. While it is open, whatever else is written to
 * stdout (by `console.log`, by a library) goes to stderr: one stray line would break the protocol.
 */
export function openStdio(): ByteIo & Disposable {
  const { stdin, stdout, stderr } = process;
  const write = stdout.write;
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, callback) => {
      write.call(stdout, chunk, encoding, callback);
    },
  });
  const onError = (error: Error) => writable.destroy(error);
  stdout.on("error", onError);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return {
    readable: stdin,
    writable,
    [Symbol.dispose]() {
      stdout.write = write;
      stdout.off("error", onError);
    },
  };
}
