// An agent that answers every prompt at once, by one library or the other, or by the least that does it.
import { type Library, serveAgentOn } from "./clients.ts";

serveAgentOn[process.argv[2] as Library | "floor"](process.stdin, process.stdout);
