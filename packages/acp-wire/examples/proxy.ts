import { spawn } from "node:child_process";
import { Conn } from "@acp-kit/acp-wire";

const [file = "", ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
const trace = (way: string, message: object) => console.error(way, JSON.stringify(message));
const agent = new Conn({ readable: child.stdout, writable: child.stdin }, { trace });
const client = new Conn({ readable: process.stdin, writable: process.stdout });
agent.forwardTo(client);
client.forwardTo(agent);
await Promise.race([agent.serve(), client.serve()]);
await Promise.all([agent.close(), client.close()]);
