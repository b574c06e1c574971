export type ServerEvent = { event: string; data: string };

/**
 * Server-sent events from the text of a stream. What is not finished by an empty line is dropped.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function* readServerEvents(
  stream: AsyncIterable<string>,
): AsyncGenerator<ServerEvent> {
  let event = "message";
  let data: string[] = [];
  for await (const line of readLines(stream)) {
    if (line === "") {
      if (data.length > 0) yield { event, data: data.join("\n") };
      event = "message";
      data = [];
    } else {
      const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === "event") event = value;
      if (name === "data") data.push(value);
    }
  }
}

async function* readLines(stream: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream) {
    // A CR at the end may be the first half of CR LF.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest.endsWith("\r")) yield rest.slice(0, -1);
}
