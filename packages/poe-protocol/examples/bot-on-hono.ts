import * as poe from "@acp-kit/poe-protocol";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const keys = [process.env["POE_ACCESS_KEY"] ?? ""];
const refuse = (refusal: poe.Refusal) => new Response(refusal.body, refusal);

const app = new Hono().post("/poe", async (c) => {
  if (!poe.checkBearer(c.req.header("authorization"), keys)) return refuse(poe.UNAUTHORIZED);
  const request = poe.parsePoeRequest(await c.req.text());
  if ("refusal" in request) return refuse(request.refusal);
  if (request.type === "settings") return c.json(poe.createSettings());
  if (request.type !== "query") return c.json({});
  const frames = new ReadableStream<string>({
    start(stream) {
      const answer = poe.createPoeWriter((frame) => stream.enqueue(frame)).meta();
      answer.text(`You said: ${poe.lastUserMessage(request)?.content ?? "nothing"}`);
      answer.done();
      stream.close();
    },
  });
  return new Response(frames.pipeThrough(new TextEncoderStream()), { headers: poe.STREAM_HEADERS });
});

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 8080) }, console.log);
