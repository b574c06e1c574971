import { approvalGrants, isKnownEvent, parseEvent, parseTime } from "@acp-kit/dcode-protocol";

const line = (seq: number, type: string, payload: unknown) =>
  JSON.stringify({ seq, session_id: "s1", type, at: "2026-08-11T12:00:00Z", payload });

const stream = [
  line(1, "message.delta", { turn_id: "t1", text: "Hello" }),
  line(2, "tool.approval_resolved", { approval_id: "t1-0", decision: "allow_forever" }),
  line(3, "session.notice", { code: "from a newer daemon" }),
];

for (const json of stream) {
  const event = parseEvent(json); // throws a ProtocolError `invalid_input`
  if (!isKnownEvent(event)) continue; // its seq counts all the same
  if (event.type === "message.delta") console.log(event.payload.text); // Hello
  if (event.type === "tool.approval_resolved") console.log(approvalGrants(event.payload.decision)); // false
}
console.log(parseTime("0001-01-01T00:00:00Z")); // undefined
