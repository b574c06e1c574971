import { fileURLToPath } from "node:url";

/**
 * The argv that starts the demo agent with the Node.js that runs now; `args` are those of
 * `acp-demo-agent`. Works from a checkout, where the sources run as they are, and from the package.
 */
export function demoAgentCommand(args: readonly string[] = []): string[] {
  const fromSource = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(fromSource ? "./main.ts" : "./main.js", import.meta.url));
  const conditions = fromSource ? ["--conditions=@acp-kit/source"] : [];
  return [process.execPath, ...conditions, entry, ...args];
}
