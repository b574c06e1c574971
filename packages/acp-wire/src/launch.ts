import type { SpawnOptions } from "node:child_process";
import { statSync } from "node:fs";
import { WireError } from "./errors.ts";
import { findCommand } from "./find-command.ts";
import { resolveWindowsCommand } from "./windows-command.ts";

export interface LaunchOptions {
  command: readonly string[];
  cwd?: string | undefined;
  env: Record<string, string>;
  runAs?: { uid: number; gid: number } | undefined;
}

/** What to hand to `spawn`. */
export interface Launch {
  file: string;
  args: readonly string[];
  options: SpawnOptions;
}

/**
 * Starts the agent in a process group of its own, and beside it, in that group, a guard that waits
 * for the end of a pipe (fd 3) which only this process holds. However this process ends, the guard
 * sees it, leaves the agent a second to follow the end of its input, and kills the group. Being a
 * member of the group it keeps the group's number from being reused, and it may kill where this
 * process may not (another user). It is orphaned on purpose, so that the agent has no child that it
 * does not know; it ignores the signals that the agent is asked to end with.
 */
const START_GUARDED = `
( (
  trap '' HUP INT TERM
  read -r _ <&3
  sleep 1
  kill -KILL -$$
) </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&-`;

/** @throws WireError `spawn_failed` */
export function planLaunch(options: LaunchOptions): Launch {
  const { cwd } = options;
  if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw spawnFailed(`its working directory ${JSON.stringify(cwd)} does not exist.`);
  }
  return process.platform === "win32" ? planOnWindows(options) : planGuarded(options);
}

export function spawnFailed(why: string, cause?: unknown): WireError {
  const message = `Cannot run the agent: ${why}`;
  return new WireError(message, { code: "spawn_failed", phase: "spawn", cause, sent: false });
}

function planGuarded({ command, cwd, env, runAs }: LaunchOptions): Launch {
  const [name = "", ...args] = command;
  const file = findCommand(name, { cwd, path: env["PATH"] });
  if (file === undefined) throw notFound(name);
  return {
    file: "/bin/sh",
    args: ["-c", START_GUARDED, "sh", file, ...args],
    options: { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe", "pipe"], ...runAs },
  };
}

function planOnWindows({ command, cwd, env }: LaunchOptions): Launch {
  const variable = (name: string) =>
    Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] ?? "";
  let resolved: ReturnType<typeof resolveWindowsCommand>;
  try {
    resolved = resolveWindowsCommand(command, {
      path: variable("PATH"),
      pathext: variable("PATHEXT") || ".COM;.EXE;.BAT;.CMD",
      comspec: variable("COMSPEC"),
      cwd: cwd ?? ".",
      isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
    });
  } catch (cause) {
    throw spawnFailed((cause as Error).message, cause);
  }
  if (resolved === undefined) throw notFound(command[0] ?? "");
  return {
    file: resolved.file,
    args: resolved.args,
    options: {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      windowsVerbatimArguments: resolved.verbatim,
    },
  };
}

function notFound(name: string): WireError {
  return spawnFailed(`no executable ${JSON.stringify(name)}; is it installed and on PATH?`);
}
