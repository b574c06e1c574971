/**
 * - `network-file-system`: the directory lies on a file system without reliable locks and shared memory.
 * - `too-new`: a newer version of this software has written the database.
 * - `corrupt`: the database is damaged.
 * - `in-use`: a process that lives uses the database.
 * - `exists`: the file to write is there already.
 * - `unusable`: the directory or file cannot be used for another reason.
 */
export type StoreErrorCode =
  | "network-file-system"
  | "too-new"
  | "corrupt"
  | "in-use"
  | "exists"
  | "unusable";

/** Why a store cannot be opened, copied or restored; the message names the cure. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(message: string, options: ErrorOptions & { code: StoreErrorCode }) {
    super(message, options);
    this.code = options.code;
  }
}
