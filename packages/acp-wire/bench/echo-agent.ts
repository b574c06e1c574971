// An agent that answers every prompt at once, by one library or the other.
import { type Library, serveAgentOn } from "./clients.ts";

serveAgentOn[process.argv[2] as Library](process.stdin, process.stdout);
