import type { SessionUpdate } from "@acp-kit/acp-wire";
import { buildMeta } from "@acp-kit/statusline";
import type { Meta } from "./script.ts";

/** An update that says nothing but the status line: session info without a change. */
export function statusUpdate(status: { mood?: string; plan?: string }): {
  update: SessionUpdate;
  meta: Meta;
} {
  return { update: { sessionUpdate: "session_info_update" }, meta: buildMeta(status) };
}
