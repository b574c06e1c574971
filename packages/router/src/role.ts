/** Who a person is in a conversation: an approver may answer others' questions, an operator may do anything. */
export type Role = "user" | "approver" | "operator";

/** Whether a person may decide what others have asked for. */
export function isApprover(role: Role | undefined): boolean {
  return role === "approver" || role === "operator";
}

/** Whether a person may cancel a turn that `owner` asked for, or answer its questions. The relay itself has no name; an empty name is a person's. */
export function mayDecide(
  user: string | undefined,
  owner: string,
  role: Role | undefined,
): boolean {
  return user === undefined || user === owner || isApprover(role);
}
