import type { ServerResponse } from "node:http";
import { type DcodeEvent, formatEvent } from "@acp-kit/dcode-protocol";
import type { EventLog } from "./event-log.ts";
import type { Settings } from "./options.ts";

/** How far a reader that had caught up may fall behind before it is disconnected. */
const MAX_BEHIND = 256;

/** One reader of a session's events. */
export type EventResponse = {
  /** Ends it as the daemon does: the same for a slow reader, a deleted session and a stopped daemon. */
  end(): void;
  /** Breaks it within a frame. */
  break(): void;
  /** Writes anything. */
  write(text: string): void;
};

/** Sends a log to a reader from a position on, what was and what comes, with a ping every so often. */
export function sendEvents(
  response: ServerResponse,
  log: EventLog,
  from: number,
  { pingMs, frame }: Pick<Settings, "pingMs" | "frame">,
): EventResponse {
  let next = from;
  let caughtUp = false;
  /** Whether the socket takes more. */
  let taking = true;
  const write = (text: string) => {
    if (!response.destroyed && !response.writableEnded) taking = response.write(text);
  };
  const pump = () => {
    for (let event = log.get(next); event && taking; event = log.get(next)) {
      next += 1;
      write(frame(event, frameOf(event)));
    }
    if (next > log.last) caughtUp = true;
    else if (next < log.first || (caughtUp && log.last - next >= MAX_BEHIND)) response.end();
  };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  response.on("drain", () => {
    taking = true;
    pump();
  });
  const ping = setInterval(() => taking && write(": ping\n\n"), pingMs);
  const following = log.onAppend(pump);
  response.on("close", () => {
    clearInterval(ping);
    following[Symbol.dispose]();
  });
  pump();
  return {
    end: () => void response.end(),
    break: () => void response.write(`id: ${next}\ndata: {"seq":`, () => response.destroy()),
    write,
  };
}

function frameOf(event: DcodeEvent): string {
  return `id: ${event.seq}\ndata: ${escapeHtml(formatEvent(event))}\n\n`;
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as the daemon's encoder escapes it. */
export function escapeHtml(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
}
