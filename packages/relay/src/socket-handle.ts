import type { SendHandle } from "node:child_process";
import { type Server, Socket } from "node:net";

/** A socket that listens, without a server on it: another process can be given it and listen there. */
export type SocketHandle = SendHandle & { close(): void };

/** The socket of a server that listens. */
export function handleOf(server: Server | Socket): SocketHandle {
  return (server as unknown as { readonly _handle: SocketHandle })._handle;
}

/**
 * The socket behind a descriptor of this process. Nothing is accepted on it here.
 *
 * @returns `undefined` for what is no TCP socket.
 */
export function handleOfDescriptor(fd: number): SocketHandle | undefined {
  try {
    const handle = handleOf(new Socket({ fd, readable: false, writable: false }));
    return handle?.constructor.name === "TCP" ? handle : undefined;
  } catch {
    return undefined;
  }
}
