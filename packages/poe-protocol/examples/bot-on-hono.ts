import * as poe from "@acp-kit/poe-protocol";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const keys = [process.env["POE_ACCESS_KEY"] ?? ""];

const app = new Hono().post("/poe", async (c) => {
  const request = await poe.readPoeRequest(c.req.raw, { keys });
  if (request.type !== "query") {
    const answer = poe.formatAnswer(request);
    return new Response(answer.body, answer);
  }
  const frames = new ReadableStream<string>({
    start(stream) {
      const opening = poe.createPoeWriter((frame) => stream.enqueue(frame));
      const answer = opening.send(poe.PREAMBLE).meta();
      answer.text(`You said: ${poe.lastUserMessage(request)?.content ?? "nothing"}`);
      answer.done();
      stream.close();
    },
  });
  return new Response(frames.pipeThrough(new TextEncoderStream()), { headers: poe.STREAM_HEADERS });
});

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 8080) }, console.log);
