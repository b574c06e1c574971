/** Who a person is in a conversation: an approver may answer others' questions, an operator may do anything. */
export type Role = "user" | "approver" | "operator";

/** Whether a person may cancel a turn that `owner` asked for, or answer its questions. The relay itself is user "". */
export function mayDecide(user: string, owner: string, role: Role | undefined): boolean {
  return user === "" || user === owner || role === "approver" || role === "operator";
}
