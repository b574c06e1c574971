import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize, sep } from "node:path";
import { ErrorCode, RpcError } from "./errors.ts";

/** Longest file that is read for an agent, in bytes. */
const DEFAULT_MAX_READ_BYTES = 10 * 1024 * 1024;
/** Linux: what an open file really is, whatever its path has become meanwhile. */
const OPEN_FILES = existsSync("/proc/self/fd") ? "/proc/self/fd" : undefined;

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC } = constants;
/** Windows does not have these. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

/**
 * Text files inside some directories, for whoever names them by a path that is not trusted.
 * A symbolic link counts as what it leads to; one that leads out is refused, also when it is put in
 * place while the file is being opened (exactly on Linux, nearly elsewhere).
 */
export class SandboxedFiles {
  readonly #maxReadBytes: number;

  constructor({
    maxReadBytes = DEFAULT_MAX_READ_BYTES,
  }: { maxReadBytes?: number | undefined } = {}) {
    this.#maxReadBytes = maxReadBytes;
  }

  /**
   * @param range - `line` counts from 1; `limit` lines from there. Lines end at LF, CR is kept.
   * @throws RpcError -32602 outside of `roots`, no text file, too large; -32002 not there
   */
  async read(
    roots: readonly string[],
    path: string,
    range: { line?: number | null | undefined; limit?: number | null | undefined } = {},
  ): Promise<string> {
    requireAbsolute(path);
    const real = await realpath(path).catch(notFound(path));
    const inside = await realRoots(roots);
    requireInside(real, inside, path);
    await using file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(notFound(path));
    await requireStillInside(file, real, inside, path);
    const stat = await file.stat();
    if (!stat.isFile()) throw invalid(`${path} is no file`);
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(Math.min(stat.size, this.#maxReadBytes) + 1),
      0,
    );
    if (bytesRead > this.#maxReadBytes) {
      throw invalid(`${path} is larger than ${this.#maxReadBytes} bytes`);
    }
    return selectLines(buffer.toString("utf8", 0, bytesRead), range.line ?? 0, range.limit ?? 0);
  }

  /**
   * Writes a file, and the directories above it that are missing.
   *
   * @throws RpcError -32602 outside of `roots`, or no file
   */
  async write(roots: readonly string[], path: string, content: string): Promise<void> {
    requireAbsolute(path);
    const inside = await realRoots(roots);
    const target = await this.#makeParent(normalize(path), inside, path);
    const directory = dirname(target);
    await using parent = await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await requireStillInside(parent, directory, inside, path);
    // Opened through the directory that was checked, wherever its path leads by now.
    const checked = OPEN_FILES ? join(OPEN_FILES, String(parent.fd), basename(target)) : target;
    const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
    await using file = await open(checked, flags, 0o644).catch((cause: NodeJS.ErrnoException) => {
      throw invalid(`${path} cannot be written (${cause.code})`);
    });
    await file.writeFile(content);
  }

  /** Where the file really is to be; its directory exists then. */
  async #makeParent(path: string, inside: readonly string[], asked: string): Promise<string> {
    const existing = await realpath(path).catch(() => undefined);
    if (existing !== undefined) {
      requireInside(existing, inside, asked);
      return existing;
    }
    const dangling = await lstat(path).catch(() => undefined);
    if (dangling !== undefined) throw invalid(`${asked} is a link that leads nowhere`);
    const parent = dirname(path);
    const ancestor = await nearestAncestor(parent);
    requireInside(ancestor.real, inside, asked);
    const directory = join(ancestor.real, ancestor.rest);
    if (ancestor.rest !== "") await mkdir(directory, { recursive: true });
    return join(directory, basename(path));
  }
}

function selectLines(text: string, line: number, limit: number): string {
  if (line <= 1 && limit <= 0) return text;
  const lines = text.split("\n");
  const from = Math.max(0, line - 1);
  return lines.slice(from, limit > 0 ? from + limit : undefined).join("\n");
}

async function nearestAncestor(path: string): Promise<{ real: string; rest: string }> {
  let rest = "";
  for (let directory = path; ; directory = dirname(directory)) {
    const real = await realpath(directory).catch(() => undefined);
    if (real !== undefined || dirname(directory) === directory) return { real: real ?? "", rest };
    rest = join(basename(directory), rest);
  }
}

async function realRoots(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return real.filter((root) => root !== undefined);
}

async function requireStillInside(
  file: FileHandle,
  path: string,
  inside: readonly string[],
  asked: string,
): Promise<void> {
  const now = OPEN_FILES ? readlink(join(OPEN_FILES, String(file.fd))) : realpath(path);
  requireInside(await now, inside, asked);
}

function requireInside(real: string, roots: readonly string[], asked: string): void {
  const within = (root: string) =>
    real === root || real.startsWith(root === sep ? sep : root + sep);
  if (!roots.some(within)) throw invalid(`${asked} is outside of this session's directories`);
}

function requireAbsolute(path: unknown): asserts path is string {
  if (typeof path !== "string" || !isAbsolute(path) || path.includes("\0")) {
    throw invalid("path must be absolute");
  }
}

function notFound(path: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code !== "ENOENT" && cause.code !== "ENOTDIR") {
      throw invalid(`${path} cannot be read (${cause.code})`);
    }
    throw new RpcError(ErrorCode.resourceNotFound, `${path} does not exist`, { uri: path });
  };
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, message);
}
