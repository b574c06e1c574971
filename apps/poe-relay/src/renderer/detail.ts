import { quote } from "./label.ts";
import { renderLine } from "./markdown.ts";

/** Lines of a tool's output, quoted and with every code block closed. */
export function renderDetail(lines: readonly string[]): string {
  return quote(balanced(lines).join("\n"));
}

function balanced(lines: readonly string[]): string[] {
  let open = false;
  const rendered = lines.map((line) => {
    const info = /^ *(?:`{3,}|~{3,})([\w+-]*)$/.exec(line)?.[1];
    if (info === undefined || (open && info !== "")) {
      const text = line.replaceAll("`", "'");
      // Three tildes open a code block whatever follows them.
      return open ? text : renderLine(text.replace(/^ *(?=~{3})/, "$&\\"));
    }
    open = !open;
    return `\`\`\`${info}`;
  });
  return open ? [...rendered, "```"] : rendered;
}
