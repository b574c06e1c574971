import { statfs } from "node:fs/promises";
import { StoreError } from "./errors.ts";

/** Types by `statfs(2)` of file systems whose locks and shared memory do not reach other machines. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
]);

/** The network file system that a type of `statfs(2)` names; `undefined` for any other type. */
export function findNetworkFileSystem(type: number): string | undefined {
  // The number is signed on some platforms.
  return networkFileSystems.get(type >>> 0);
}

/** @throws StoreError `network-file-system`. */
export async function assertLocalFileSystem(directory: string): Promise<void> {
  const name = findNetworkFileSystem((await statfs(directory)).type);
  if (name === undefined) return;
  throw new StoreError(
    `${directory} lies on ${name}, which a database cannot be kept on; choose a local directory`,
    { code: "network-file-system" },
  );
}
