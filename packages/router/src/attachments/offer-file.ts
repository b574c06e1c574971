import { createHash } from "node:crypto";
import { type FileHandle, realpath } from "node:fs/promises";
import path from "node:path";
import { createDenyList } from "./file-deny-list.ts";
import { openRegularFile } from "./open-regular-file.ts";
import { readExactly } from "./read-exactly.ts";
import { safeFileName } from "./safe-file-name.ts";
import { SNIFF_BYTES, sniffType } from "./sniff-type.ts";

/** Which files of an agent may leave, in one turn. */
export type OfferPolicy = {
  /** What a relative path starts from. */
  readonly cwd: string;
  /** The directories that files may come from: the workspace and the kept attachments. An empty list is none. */
  readonly roots: readonly string[];
  /** The operator's own patterns, beside the names of secrets that are always refused; see createDenyList. */
  readonly deny?: readonly string[];
  /** What is left of this turn; each offered file takes its part. */
  readonly allowance: OfferAllowance;
};

/** How many files and bytes may still leave in a turn. */
export class OfferAllowance {
  #files: number;
  #bytes: number;
  readonly maxFileBytes: number;

  /** @param limits - Default: 20 files of 100 MiB at most, 200 MiB together. */
  constructor(limits: { files?: number; maxFileBytes?: number; totalBytes?: number } = {}) {
    this.#files = limits.files ?? 20;
    this.maxFileBytes = limits.maxFileBytes ?? 100 * 1024 * 1024;
    this.#bytes = limits.totalBytes ?? 2 * this.maxFileBytes;
  }

  /** True when a file of this size may leave; it is counted then. */
  take(bytes: number): boolean {
    if (this.#files < 1 || this.#bytes < bytes) return false;
    this.#files -= 1;
    this.#bytes -= bytes;
    return true;
  }
}

/**
 * - `path`: no path, or one that cannot be one.
 * - `missing`: nothing is there.
 * - `outside`: it leads out of the directories that files may come from.
 * - `secret`: its name or its beginning is that of a secret.
 * - `not-a-file`: a directory, device, socket or pipe, or a file that was swapped while it was opened.
 * - `linked`: a file with several names, one of which may be a secret's.
 * - `too-large`: larger than one file may be.
 * - `spent`: the turn has sent as many files or bytes as it may.
 * - `unreadable`: its bytes are not what was asked for, or cannot be read.
 */
export type OfferRefusal =
  | "path"
  | "missing"
  | "outside"
  | "secret"
  | "not-a-file"
  | "linked"
  | "too-large"
  | "spent"
  | "unreadable";

/** A file that may leave, held open; disposing it closes it. */
export type OfferedFile = AsyncDisposable & {
  readonly kind: "offered";
  /** The real path, for the operator's log; absent for bytes that the agent sent itself. */
  readonly path?: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** In hexadecimal, for the operator's log. */
  readonly sha256: string;
  /** Exactly `bytes` bytes from the start, and throws when the file is not any more what was offered. */
  stream(): AsyncIterable<Uint8Array>;
};

/** A file that may leave, opened and to be disposed; or why it may not. */
export type Offer = OfferedFile | { readonly kind: "refused"; readonly reason: OfferRefusal };

/**
 * Decides whether a file of an agent may leave, and opens it. Every symbolic link is resolved first, what is opened is
 * what was judged, and what is read later is the file that was opened.
 *
 * @param name - What it is called in the chat. Default: its own name.
 */
export async function offerFile(given: string, policy: OfferPolicy, name?: string): Promise<Offer> {
  if (given === "" || given.includes("\0")) return refused("path");
  const real = await realpath(path.resolve(policy.cwd, given)).catch(() => undefined);
  if (real === undefined) return refused("missing");
  const relative = await findRelative(real, policy.roots);
  if (relative === undefined) return refused("outside");
  if (createDenyList(policy.deny)(relative)) return refused("secret");
  const handle = await openRegularFile(real);
  if (!handle) return refused("not-a-file");
  const offer = await offerHandle(handle, real, policy, name).catch(() => refused("unreadable"));
  if (offer.kind === "refused") await handle.close();
  return offer;
}

async function offerHandle(
  handle: FileHandle,
  real: string,
  { allowance }: OfferPolicy,
  name: string | undefined,
): Promise<Offer> {
  const { size, nlink } = await handle.stat();
  if (nlink > 1) return refused("linked");
  if (size > allowance.maxFileBytes) return refused("too-large");
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  for await (const chunk of readExactly(handle, size)) {
    if (head.length < SNIFF_BYTES) head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES)]);
    hash.update(chunk);
  }
  if (isPrivateKey(head)) return refused("secret");
  if (!allowance.take(size)) return refused("spent");
  const sha256 = hash.digest("hex");
  const contentType = await sniffType(head, "");
  return {
    kind: "offered",
    path: real,
    name: safeFileName(name ?? path.basename(real), { source: real, contentType }),
    contentType,
    bytes: size,
    sha256,
    async *stream() {
      const again = createHash("sha256");
      for await (const chunk of readExactly(handle, size)) {
        again.update(chunk);
        yield chunk;
      }
      if (again.digest("hex") !== sha256)
        throw new Error("The file was changed while it was sent.");
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** The path below the outermost root that holds it, with `/`; nothing when none does, or for a root itself. */
async function findRelative(real: string, roots: readonly string[]): Promise<string | undefined> {
  let found: string | undefined;
  for (const root of roots) {
    const base = await realpath(root).catch(() => undefined);
    if (base === undefined) continue;
    const relative = path.relative(base, real);
    const isInside =
      relative !== "" && !/^\.\.(?:[/\\]|$)/.test(relative) && !path.isAbsolute(relative);
    // The longest one has the most names to judge.
    if (isInside && relative.length > (found?.length ?? 0)) found = relative;
  }
  return found?.split(path.sep).join("/");
}

/** By the mark that OpenSSL, OpenSSH, PGP and PuTTY put at the start of a private key. */
function isPrivateKey(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString("latin1");
  return /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-/m.test(text);
}

function refused(reason: OfferRefusal): Offer {
  return { kind: "refused", reason };
}
