import { run } from "./run.ts";

/** The file of another Node.js, which npm fetches when it is not there yet. */
export async function nodeBinary(version: string): Promise<string> {
  return (await run("npx", ["-y", `node@${version}`, "-p", "process.execPath"])).trim();
}
