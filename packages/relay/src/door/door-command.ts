import { fileURLToPath } from "node:url";

/** The argv that starts the tool server with the Node.js that runs now, from a checkout or from the package. */
export function doorCommand(): { readonly command: string; readonly args: string[] } {
  const fromSource = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(
    new URL(fromSource ? "./main.ts" : "./door/main.js", import.meta.url),
  );
  const conditions = fromSource ? ["--conditions=@acp-kit/source"] : [];
  return { command: process.execPath, args: [...conditions, entry] };
}
