import { PassThrough } from "node:stream";
import { type ByteIo, Conn, type ConnOptions } from "../src/index.ts";

/** Two ends of one connection in memory, as byte streams. */
export function createPair(): [ByteIo, ByteIo] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [
    { readable: back, writable: there },
    { readable: there, writable: back },
  ];
}

/** Two connections that talk to each other; both are being served. */
export function connectPair(
  left: ConnOptions = {},
  right: ConnOptions = {},
): { left: Conn; right: Conn } {
  const [leftIo, rightIo] = createPair();
  const conns = { left: new Conn(leftIo, left), right: new Conn(rightIo, right) };
  void conns.left.serve();
  void conns.right.serve();
  return conns;
}
