import { createHash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { demoAgentCommand, parseScript, type Script, type Step } from "@acp-kit/demo-agent";

export interface AgentCommandOptions {
  /** Where the script file is written. Default: a directory of this user under the temporary one. */
  readonly directory?: string;
  /** See {@link readRecord}. */
  readonly record?: string;
  /** Keeps sessions in this directory, over restarts. */
  readonly store?: string;
  /** Divides every wait of the script. */
  readonly speed?: number;
  /** Lets a prompt bring its own script, see {@link inlineScript}. */
  readonly allowInline?: boolean;
}

/**
 * The argv that starts an agent which follows `script`. The same script is the same file, so calls
 * cost no room, and the argv can be used again after the agent has died.
 *
 * @throws ScriptError when the script says something that no agent can do
 */
export function agentCommand(
  script: Script | readonly Step[],
  options: AgentCommandOptions = {},
): string[] {
  const args = ["--script", writeScript(parseScript(script), options.directory)];
  if (options.record !== undefined) args.push("--record", options.record);
  if (options.store !== undefined) args.push("--store", options.store);
  if (options.speed !== undefined) args.push("--speed", String(options.speed));
  if (options.allowInline) args.push("--allow-inline");
  return demoAgentCommand(args);
}

function writeScript(script: Script, directory = sharedDirectory()): string {
  const json = JSON.stringify(script);
  const file = join(
    directory,
    `${createHash("sha256").update(json).digest("hex").slice(0, 16)}.json`,
  );
  // Another process may read the same script right now.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, json, { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** The temporary directory is everybody's; a script can start a process, so nobody else may write it. */
function sharedDirectory(): string {
  const { uid } = userInfo();
  const directory = join(tmpdir(), `acp-kit-scripts-${uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owner = lstatSync(directory);
  if (!owner.isDirectory() || (uid >= 0 && (owner.uid !== uid || (owner.mode & 0o022) !== 0))) {
    throw new Error(`${directory} belongs to somebody else; remove it or pass a directory.`);
  }
  return directory;
}
