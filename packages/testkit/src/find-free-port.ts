import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to whoever asks for any, https://www.rfc-editor.org/rfc/rfc6335#section-6 and Linux. */
const FROM = 20_000;
const BELOW = 32_000;

/**
 * A port of 127.0.0.1 on which nothing listens, and which the system gives to nobody who has not asked for it: it stays
 * free until the program is started, or started again, that is to listen there.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, BELOW);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
      return port;
    } catch {
      // It is taken: another one.
    } finally {
      server.close();
    }
  }
}
