import path from "node:path";
import type { KnownToolCallContent } from "@acp-kit/acp-wire";
import type { ToolCompleted } from "@acp-kit/dcode-protocol";
import { asFields, editsOf, type Fields, textOf } from "./tool-card.ts";

type Diff = Extract<KnownToolCallContent, { type: "diff" }>;

/** dcode's mark behind the 400th line of a diff. */
const TRUNCATED = "⋯ diff truncated";

/**
 * The changes of files that a completed call made. The input of `edit` and what `write` created are
 * exact; what an overwritten file held before is known by the hunks of the diff alone, so such a
 * diff is of snippets.
 */
export function toolDiffs(
  name: string,
  input: unknown,
  result: Pick<ToolCompleted, "output" | "diff">,
  workspace: string,
): Diff[] {
  const fields = asFields(input);
  const file = textOf(fields["path"]);
  const resolve = (each: string) => path.resolve(workspace, each);
  if (name === "edit") {
    const edits = [fields, ...editsOf(fields)].filter(isEdit).map(
      (edit): Diff => ({
        type: "diff",
        path: resolve(textOf(edit["path"]) || file),
        oldText: textOf(edit["old_string"]),
        newText: textOf(edit["new_string"]),
      }),
    );
    if (edits.length > 0) return edits;
  }
  const written = fields["content"];
  if (name === "write" && file !== "" && typeof written === "string") {
    const created = /^created\b/i.test(result.output);
    if (created || !result.diff) {
      return [
        {
          type: "diff",
          path: resolve(file),
          ...(created && { oldText: null }),
          newText: written,
        },
      ];
    }
  }
  return parseHunks(result.diff ?? "").map((hunk) => ({
    type: "diff",
    path: resolve(hunk.path || file),
    oldText: hunk.oldText,
    newText: hunk.newText,
  }));
}

export type Hunk = {
  /** As the diff names it. */
  readonly path: string;
  /** Null when the file is new. */
  readonly oldText: string | null;
  readonly newText: string;
};

/**
 * The hunks of a daemon's diff: `@@ -a,b +c,d @@ path`, several files behind one another, no file
 * headers, no mark for a missing newline at the end, cut after 400 lines.
 */
export function parseHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let open: { path: string; added: boolean; old: string[]; new: string[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    const oldText = open.added ? null : joinLines(open.old);
    hunks.push({ path: open.path, oldText, newText: joinLines(open.new) });
    open = undefined;
  };
  for (const line of diff.split("\n")) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@ ?(.*)$/.exec(line);
    if (header) {
      close();
      const [, from, count, name = ""] = header;
      open = { path: name.trim(), added: from === "0" && count === "0", old: [], new: [] };
    } else if (line === TRUNCATED) {
      break;
    } else if (open !== undefined) {
      const text = line.slice(1);
      if (line.startsWith("-")) open.old.push(text);
      else if (line.startsWith("+")) open.new.push(text);
      else if (line.startsWith(" ")) {
        open.old.push(text);
        open.new.push(text);
      }
    }
  }
  close();
  return hunks;
}

/** Whether the daemon left out the end of a diff. */
export function isTruncated(diff: string): boolean {
  return diff.split("\n").includes(TRUNCATED);
}

function isEdit(fields: Fields): boolean {
  return typeof fields["old_string"] === "string" || typeof fields["new_string"] === "string";
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
