// Stands for a relay: starts an agent, says its process id, and waits to be killed.
import { rawAgent } from "../agents.ts";

const agent = await rawAgent(process.argv.slice(2));
console.log(agent.pid);
setInterval(() => {}, 1_000);
