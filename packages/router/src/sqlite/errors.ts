/**
 * - `network-file-system`: the directory lies on a file system without reliable locks and shared memory.
 * - `too-new`: a newer version of this software has written the database.
 * - `corrupt`: the database is damaged.
 * - `unusable`: the directory or file cannot be used for another reason.
 */
export type StoreErrorCode = "network-file-system" | "too-new" | "corrupt" | "unusable";

/** Why a store cannot be opened; the message names the cure. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(message: string, options: ErrorOptions & { code: StoreErrorCode }) {
    super(message, options);
    this.code = options.code;
  }
}
