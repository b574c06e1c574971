import type { ServerResponse } from "node:http";
import { escapeHtml } from "./event-response.ts";

/** `text` for what the daemon's router answers by itself. */
export type Answer = { readonly status: number; readonly json?: unknown; readonly text?: string };

export function writeAnswer(response: ServerResponse, { status, json, text }: Answer): void {
  if (text !== undefined) {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
  } else if (json !== undefined) {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(`${escapeHtml(JSON.stringify(json))}\n`);
  } else response.writeHead(status).end();
}
