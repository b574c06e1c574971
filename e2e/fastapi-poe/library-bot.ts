import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as poe from "../../packages/poe-protocol/src/index.ts";

export const KEY = "0123456789abcdefghijklmnopqrstuv";
export const PANEL = poe.createParameterControls([
  {
    name: "All of them",
    collapsed_by_default: true,
    controls: [
      { control: "text_field", label: "A", parameter_name: "a", placeholder: "…" },
      { control: "text_area", label: "B", parameter_name: "b", default_value: "é😀\n" },
      { control: "divider" },
      {
        control: "drop_down",
        label: "C",
        description: "one of two",
        parameter_name: "c",
        options: [
          { value: "1", name: "One" },
          { value: "2", name: "Two" },
        ],
        default_value: "2",
      },
      {
        control: "condition",
        condition: { comparator: "eq", left: { parameter_name: "c" }, right: { literal: "1" } },
        controls: [
          { control: "toggle_switch", label: "D", parameter_name: "d", default_value: false },
        ],
      },
    ],
  },
  {
    tabs: [
      {
        name: "Numbers",
        controls: [
          {
            control: "slider",
            label: "E",
            parameter_name: "e",
            min_value: 0,
            max_value: 1,
            step: 0.1,
            default_value: 0.5,
          },
          {
            control: "aspect_ratio",
            label: "F",
            parameter_name: "f",
            options: [
              { width: 16, height: 9 },
              { width: 1, height: 1, value: "square" },
            ],
            default_value: "16:9",
          },
        ],
      },
    ],
  },
]);

/** What the newest message may ask for. */
const ANSWERS: Readonly<Record<string, (answer: poe.PoeAnswer) => void>> = {
  everything(answer) {
    answer.replaceResponse("> _Thinking…_");
    answer.send(poe.KEEP_ALIVE);
    answer.replaceResponse("");
    answer.text("Hé😀\n");
    answer.text("\u2028 and\u0085 more");
    const file = { url: "https://example.org/a", content_type: "text/plain", name: "a.txt" };
    answer.send({ event: "file", data: file });
    answer.send({ event: "file", data: { ...file, inline_ref: "ref1" } });
    answer.send({ event: "suggested_reply", data: { text: "Go on" } });
    answer.send({ event: "text", data: { text: "second", index: 1 } });
    answer.done();
  },
  data(answer) {
    answer.text("kept");
    answer.send({ event: "data", data: { metadata: "remember" } });
    answer.done();
  },
  tools(answer) {
    const call = { index: 0, id: "t1", type: "function", function: { name: "f", arguments: "{}" } };
    const choices = [{ delta: { tool_calls: [call] }, finish_reason: null }];
    answer.send({ event: "json", data: { choices, index: 2 } });
    answer.replaceResponse("");
    answer.done();
  },
  retry: (answer) => answer.fail({ allow_retry: true, text: "try again" }),
  "late retry"(answer) {
    answer.text("half");
    answer.fail({ allow_retry: true, text: "too late" });
  },
  final: (answer) =>
    answer.fail({ allow_retry: false, text: "no", error_type: "user_caused_error" }),
};

/** A bot made of nothing but poe-protocol and Node.js, which remembers what it was asked. */
export class LibraryBot implements AsyncDisposable {
  readonly requests: (poe.PoeRequest | poe.RefusedRequest)[] = [];
  /** How many open responses were closed by their reader. */
  stopped = 0;
  /** The next response is cut inside its text. */
  cutsNext = false;
  readonly #server: Server;
  readonly #open = new Set<() => void>();

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.#reply(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(): Promise<LibraryBot> {
    const bot = new LibraryBot();
    bot.#server.listen(0, "127.0.0.1");
    await once(bot.#server, "listening");
    return bot;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  of<Type extends poe.PoeRequest["type"]>(type: Type) {
    return this.requests.filter(
      (request): request is Extract<poe.PoeRequest, { type: Type }> => request.type === type,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #reply(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await poe.readPoeRequest(incoming, { keys: [KEY], maxBytes: 200_000 });
    this.requests.push(request);
    if (request.type === "query") return this.#answer(request, outgoing);
    // Reports end the responses that wait for them.
    for (const end of this.#open) end();
    const { status, headers, body } = poe.formatAnswer(request, { parameter_controls: PANEL });
    outgoing.writeHead(status, headers).end(body);
  }

  #answer(request: poe.QueryRequest, outgoing: ServerResponse): void {
    outgoing.writeHead(200, poe.STREAM_HEADERS);
    const opening = poe.createPoeWriter((frame) => outgoing.write(frame));
    const answer = opening.send(poe.PREAMBLE).meta();
    const asked = poe.lastUserMessage(request)?.content ?? "";
    if (this.cutsNext) {
      this.cutsNext = false;
      answer.text("cut");
      setImmediate(() => outgoing.destroy());
    } else if (asked === "wait") {
      answer.text("waiting");
      outgoing.once("close", () => {
        this.stopped += 1;
      });
    } else if (asked === "wait for reports") {
      answer.text("waiting");
      let reports = 0;
      const end = () => {
        reports += 1;
        if (reports < 4) return;
        this.#open.delete(end);
        answer.text(" no more");
        answer.done();
        outgoing.end();
      };
      this.#open.add(end);
    } else {
      const known = Object.hasOwn(ANSWERS, asked) ? ANSWERS[asked] : undefined;
      if (known) known(answer);
      else {
        answer.text(`You said: ${asked}`);
        answer.done();
      }
      outgoing.end();
    }
  }
}
