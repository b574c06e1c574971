import { StoreError } from "./errors.ts";

/** Types by `statfs(2)` of file systems whose locks and shared memory do not reach other machines. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
]);

/**
 * @param type - As `statfs(2)` tells it.
 * @throws StoreError `network-file-system`.
 */
export function assertLocalFileSystem(directory: string, type: number): void {
  // The number is signed on some platforms.
  const name = networkFileSystems.get(type >>> 0);
  if (name === undefined) return;
  throw new StoreError(
    `${directory} lies on ${name}, which a database cannot be kept on; choose a local directory`,
    { code: "network-file-system" },
  );
}
