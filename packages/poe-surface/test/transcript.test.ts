import { parsePoeRequest } from "@acp-kit/poe-protocol";
import { expect, test } from "vitest";
import { readTranscript } from "../src/transcript.ts";

test("what is said to the relay itself, and what it answers, is marked as no agent's business", () => {
  const said = [
    ["user", "hello"],
    ["bot", "hi"],
    ["user", " !STOP "],
    ["bot", "Stopped."],
    ["user", "."],
    ["bot", "the rest"],
    ["system", "be brief"],
    ["user", "stop that"],
    ["bot", "ok"],
  ] as const;
  const query = said.map(([role, content], index) => ({
    role,
    content,
    message_id: `m${index}`,
  }));
  const request = parsePoeRequest(
    JSON.stringify({ version: "1.2", type: "query", query, user_id: "u", conversation_id: "c" }),
  );
  if (request.type !== "query") throw new Error("it is a query");
  const turns = readTranscript(request.query, () => true);
  expect(turns.filter(({ isAside }) => isAside).map(({ content }) => content)).toEqual([
    " !STOP ",
    "Stopped.",
    ".",
    "the rest",
  ]);
});
