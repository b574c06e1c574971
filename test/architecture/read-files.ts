import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Files } from "./rule.ts";

const ignored = new Set([".git", ".turbo", "node_modules", "dist", "coverage"]);
const generated = /\.(tgz|tsbuildinfo|log)$/;

/** Every text file below `root` that is, or could be, under version control. */
export async function readFiles(root: string): Promise<Files> {
  const files = new Map<string, string>();
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries) {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory() && !ignored.has(entry.name)) await visit(name);
      if (!entry.isFile() || generated.test(entry.name)) continue;
      const text = await readFile(path.join(root, name), "utf8");
      if (!text.includes("\0")) files.set(name, text);
    }
  };
  await visit("");
  return files;
}
