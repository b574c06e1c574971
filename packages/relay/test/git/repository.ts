import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A checkout made and used as people do it, with git's own defaults. */
export class Repository {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    this.git("init", "--quiet", "--initial-branch=main");
    this.write("README.md", "# Shop\n");
    this.write(".gitignore", "node_modules/\n");
    this.commit("first");
  }

  /** Runs git here, or in a directory of it. */
  git(...args: string[]): string {
    return gitIn(this.path, ...args);
  }

  write(file: string, text: string): void {
    writeIn(this.path, file, text);
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
  }
}

export function gitIn(directory: string, ...args: string[]): string {
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ana",
    GIT_AUTHOR_EMAIL: "ana@example.org",
    GIT_COMMITTER_NAME: "ana",
    GIT_COMMITTER_EMAIL: "ana@example.org",
  };
  const settings = ["-c", "protocol.file.allow=always"];
  return execFileSync("git", [...settings, ...args], {
    cwd: directory,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

export function writeIn(directory: string, file: string, text: string): void {
  const path = join(directory, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
