import { parsePoeRequest } from "@acp-kit/poe-protocol";
import { expect, test } from "vitest";
import { readTranscript } from "../src/transcript.ts";

function requestOf(said: readonly (readonly [role: string, content: string])[]) {
  const query = said.map(([role, content], index) => ({ role, content, message_id: `m${index}` }));
  const request = parsePoeRequest(
    JSON.stringify({ version: "1.2", type: "query", query, user_id: "u", conversation_id: "c" }),
  );
  if (request.type !== "query") throw new Error("it is a query");
  return request.query;
}

test("C25: what was pasted for a login is not there, and what follows it is the relay's", () => {
  const query = requestOf([
    ["user", "!login acme"],
    ["bot", "Open this page"],
    ["user", "https://a.example/?code=planted"],
    ["bot", "Logged in."],
    ["user", "hello"],
    ["bot", "hi"],
    ["user", "go on"],
  ]);
  const isSecret = (text: string) => text.includes("planted");
  const turns = readTranscript(query, () => true, isSecret);
  expect(turns.map(({ content, isAside = false }) => [content, isAside])).toEqual([
    ["!login acme", true],
    ["Open this page", true],
    ["Logged in.", true],
    ["hello", false],
    ["hi", false],
    ["go on", false],
  ]);
});

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
  const turns = readTranscript(requestOf(said), () => true);
  expect(turns.filter(({ isAside }) => isAside).map(({ content }) => content)).toEqual([
    " !STOP ",
    "Stopped.",
    ".",
    "the rest",
  ]);
});
