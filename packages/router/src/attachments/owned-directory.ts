import { createHash } from "node:crypto";

/**
 * The directory of a person's files by that name, in a conversation that others may share: by its beginning, which only
 * tells one person's from another's, whoever erases a person finds theirs.
 *
 * @param name - A safe name.
 */
export function ownedDirectory(user: string, name: string): string {
  return ownerPrefix(user) + name;
}

/** What the names of all directories of a person's files begin with. */
export function ownerPrefix(user: string): string {
  return `${createHash("sha256").update(user).digest("hex").slice(0, 12)}-`;
}
