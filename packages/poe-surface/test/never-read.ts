import { connect, type Socket } from "node:net";

/** Asks, and never reads a byte of the answer. */
export function askAndNeverRead(port: number, key: string, conversation: string): Socket {
  const body = JSON.stringify({
    version: "1.2",
    type: "query",
    query: [{ role: "user", content: "flood", message_id: "m-stuck" }],
    user_id: "u-stuck",
    conversation_id: conversation,
    message_id: "m-answer",
  });
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.on("error", () => undefined);
  socket.write(
    `POST /poe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}
