import {
  asError,
  formatBody,
  ProtocolError,
  parseBody,
  submitTurnRequestSchema,
} from "@acp-kit/dcode-protocol";

/** The heart of a route: a body in, a status and perhaps a body out. */
function submitTurn(body: unknown, busy: boolean): { status: number; json?: string } {
  try {
    const { text } = parseBody(submitTurnRequestSchema, body);
    if (busy) throw new ProtocolError("turn_already_active", "one turn at a time");
    console.log(`turn: ${text}`); // turn: hi
    return { status: 202 };
  } catch (thrown) {
    const error = asError(thrown) ?? new ProtocolError("internal", "see the log");
    return { status: error.status, json: JSON.stringify(error) };
  }
}

console.log(submitTurn({ text: "hi" }, false).status); // 202
console.log(submitTurn({ text: "hi" }, true).json); // {"code":"turn_already_active","message":"one turn at a time"}
console.log(submitTurn({ texts: "hi" }, false).status); // 400
console.log(formatBody(submitTurnRequestSchema, { text: "hi", images: [] })); // {"text":"hi"}
