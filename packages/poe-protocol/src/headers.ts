/**
 * Headers of a `query` response. No `connection` or `transfer-encoding`: they are the server's own
 * business, and end the process of a Node HTTP/2 server. `no-transform` and `x-accel-buffering`
 * keep proxies from collecting the events.
 */
export const STREAM_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
});
