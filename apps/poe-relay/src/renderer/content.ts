import { describeContent } from "@acp-kit/relay";
import type { AgentContent } from "@acp-kit/router";
import { escapeLabel } from "./label.ts";

/** A line on what an agent sent beside its text. */
export function renderContent(content: AgentContent): string {
  return `> ${describeContent(content, escapeLabel)}`;
}
