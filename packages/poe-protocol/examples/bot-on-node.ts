import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as poe from "@acp-kit/poe-protocol";

const keys = [process.env["POE_ACCESS_KEY"] ?? ""];

async function reply(incoming: IncomingMessage, outgoing: ServerResponse) {
  const refuse = (refusal: poe.Refusal) =>
    outgoing.writeHead(refusal.status, refusal.headers).end(refusal.body);
  if (!poe.checkBearer(incoming.headers.authorization, keys)) return refuse(poe.UNAUTHORIZED);
  const request = poe.parsePoeRequest(await text(incoming));
  if ("refusal" in request) return refuse(request.refusal);
  if (request.type !== "query") {
    const body = request.type === "settings" ? poe.createSettings() : {};
    return outgoing.setHeader("content-type", "application/json").end(JSON.stringify(body));
  }
  outgoing.writeHead(200, poe.STREAM_HEADERS);
  const answer = poe
    .createPoeWriter((frame) => outgoing.write(frame))
    .send(poe.PREAMBLE)
    .meta();
  answer.text(`You said: ${poe.lastUserMessage(request)?.content ?? "nothing"}`);
  answer.done();
  return outgoing.end();
}

const server = createServer((incoming, outgoing) => {
  reply(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen(process.env["PORT"] ?? 8080, () => console.log("Bot on port", server.address()));
