import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as poe from "@acp-kit/poe-protocol";

const keys = [process.env["POE_ACCESS_KEY"] ?? ""];

async function reply(incoming: IncomingMessage, outgoing: ServerResponse) {
  const request = await poe.readPoeRequest(incoming, { keys });
  if (request.type !== "query") {
    const { status, headers, body } = poe.formatAnswer(request);
    return outgoing.writeHead(status, headers).end(body);
  }
  outgoing.writeHead(200, poe.STREAM_HEADERS);
  const opening = poe.createPoeWriter((frame) => outgoing.write(frame));
  const answer = opening.send(poe.PREAMBLE).meta();
  answer.text(`You said: ${poe.lastUserMessage(request)?.content ?? "nothing"}`);
  answer.done();
  return outgoing.end();
}

const server = createServer((incoming, outgoing) => {
  reply(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen(process.env["PORT"] ?? 8080, () => console.log("Bot on port", server.address()));
