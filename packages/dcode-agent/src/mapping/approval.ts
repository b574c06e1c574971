import type { KnownToolCallFields, PermissionOption } from "@acp-kit/acp-wire";
import { ApprovalDecision, type ApprovalRequest, parseTime } from "@acp-kit/dcode-protocol";
import { toolKind, toolTitle } from "./tool-card.ts";

/**
 * What may be answered. The id of an option is the decision itself: two of them are `allow_always`.
 * Only a question about the network is remembered for longer than the session; anywhere else the
 * daemon would take such an answer for a mere yes.
 */
export function approvalOptions({
  boundary_crossed: boundary,
}: ApprovalRequest): PermissionOption[] {
  const options: PermissionOption[] = [
    { optionId: ApprovalDecision.allow, name: "Allow once", kind: "allow_once" },
    {
      optionId: ApprovalDecision.allowSession,
      name: "Allow for this session",
      kind: "allow_always",
    },
  ];
  if (boundary === "network") {
    options.push(
      {
        optionId: ApprovalDecision.allowProject,
        name: "Always allow in this project",
        kind: "allow_always",
      },
      { optionId: ApprovalDecision.allowAlways, name: "Always allow", kind: "allow_always" },
    );
  }
  options.push({ optionId: ApprovalDecision.deny, name: "Deny", kind: "reject_once" });
  return options;
}

/** The call as the question shows it: what exactly would run, why it is asked, and until when. */
export function approvalCall(
  toolCallId: string,
  request: ApprovalRequest,
  input: unknown,
): KnownToolCallFields & { toolCallId: string } {
  const { tool, command, reason, rule, boundary_crossed: boundary } = request;
  const rawInput = input ?? (command === undefined ? undefined : { command });
  const deadline = parseTime(request.expires_at);
  const lines = [
    command && `Command: ${command}`,
    reason && `Reason: ${reason}`,
    rule && `Rule: ${rule}`,
    boundary && `Boundary: ${boundary}`,
    deadline !== undefined && `Denied unless answered by ${new Date(deadline).toISOString()}`,
  ].filter((line) => typeof line === "string" && line !== "");
  return {
    toolCallId,
    title: toolTitle(tool, rawInput),
    kind: toolKind(tool),
    status: "pending",
    ...(rawInput !== undefined && { rawInput }),
    content: [{ type: "content", content: { type: "text", text: lines.join("\n") } }],
  };
}
