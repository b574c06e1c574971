import type { Link, List, Nodes, Parents, Table } from "mdast";
import { honestyOf, hostOf } from "./address.ts";
import { parseTree } from "./parse-tree.ts";
import { textOf } from "./patches.ts";
import { withPlainBreaks } from "./settled.ts";

/** A block of mrkdwn. Only code may be cut between any two lines, when it is closed and opened again. */
export type MrkdwnBlock = { readonly kind: "text" | "code"; readonly text: string };

const bullets = ["•", "◦", "▪"];
/** Nothing to see; beside a mark, it is no part of a word, and what looks like a mark is none. */
const GAP = "\u200B";

/** Markdown in the markup of texts and sections, where a `markdown` block cannot stand. Pure. */
export function renderMrkdwn(markdown: string): readonly MrkdwnBlock[] {
  return renderBlocks(parseTree(withPlainBreaks(markdown)), 0);
}

function renderBlocks(parent: Parents, depth: number): MrkdwnBlock[] {
  return parent.children
    .flatMap((child) => renderBlock(child, depth))
    .filter(({ text }) => text.trim() !== "");
}

function renderBlock(node: Nodes, depth: number): readonly MrkdwnBlock[] {
  switch (node.type) {
    case "heading":
      return [block(`*${renderInline(node, true).replaceAll("\n", " ")}*`)];
    case "code":
      return [{ kind: "code", text: escapeCode(node.value) }];
    case "table":
      return [{ kind: "code", text: escapeCode(alignTable(node)) }];
    case "thematicBreak":
      return [block("———")];
    case "html":
      return [block(escapeText(stripTags(node.value)))];
    case "blockquote":
      return [block(prefixed(joined(renderBlocks(node, depth)), "> ", "> "))];
    case "list":
      return [block(renderList(node, depth))];
    default:
      return [block(renderInline(node, false))];
  }
}

function block(text: string): MrkdwnBlock {
  return { kind: "text", text };
}

/** Blocks under each other, code in its fences. */
export function joined(blocks: readonly MrkdwnBlock[], gap = "\n\n"): string {
  return blocks.map(({ kind, text }) => (kind === "code" ? fenced(text) : text)).join(gap);
}

export function fenced(code: string): string {
  return `\`\`\`\n${code}\n\`\`\``;
}

function renderList(list: List, depth: number): string {
  return list.children
    .map((item, index) => {
      const sign = list.ordered ? `${(list.start ?? 1) + index}.` : bulletOf(depth);
      const text = joined(renderBlocks(item, depth + 1), "\n") || GAP;
      return prefixed(withBox(text), `${sign} `, "    ");
    })
    .join("\n");
}

function withBox(text: string): string {
  return text.replace(/^\[ \](?=\s)/, "☐").replace(/^\[x\](?=\s)/i, "☑");
}

function bulletOf(depth: number): string {
  return bullets[Math.min(depth, bullets.length - 1)] ?? "•";
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, index) => (index === 0 ? first : others) + line)
    .join("\n");
}

function renderInline(parent: Nodes, isBold: boolean): string {
  if (!("children" in parent)) return renderPhrase(parent, isBold);
  let text = "";
  let wasMark = false;
  for (const child of parent.children) {
    const next = renderPhrase(child, isBold);
    const isMark = ["strong", "emphasis", "delete", "inlineCode"].includes(child.type);
    const isGlued = /\S$/.test(text) && /^\S/.test(next);
    text +=
      (isMark || wasMark) && isGlued && /[\p{L}\p{N}*_~`]/u.test(text.slice(-1) + next[0])
        ? GAP + next
        : next;
    wasMark = isMark;
  }
  return text;
}

function renderPhrase(node: Nodes, isBold: boolean): string {
  switch (node.type) {
    case "text":
      return renderText(node.value);
    case "strong":
      return isBold ? renderInline(node, true) : wrapped(renderInline(node, true), "*");
    case "emphasis":
      return wrapped(renderInline(node, isBold), "_");
    case "delete":
      return wrapped(renderInline(node, isBold), "~");
    case "inlineCode":
      return `\`${escapeText(node.value.replaceAll("`", "'"))}\``;
    case "break":
      return "\n";
    case "html":
      return escapeText(stripTags(node.value));
    case "image":
      return renderLink(node.url, node.alt || "image");
    case "link":
      return renderNamedLink(node);
    default:
      return renderInline(node, isBold);
  }
}

/** A mark holds within a line only. */
function wrapped(text: string, mark: string): string {
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : `${mark}${line.trim()}${mark}`))
    .join("\n");
}

function renderNamedLink(link: Link): string {
  const images = link.children.filter((child) => child.type === "image");
  const behind = images.map(({ url }) => ` (${renderLink(url, "image")})`).join("");
  return renderLink(link.url, textOf(link)) + behind;
}

function renderLink(url: string, label: string): string {
  if (hostOf(url) === undefined) {
    return escapeText(/^data:/i.test(url) ? `${label} (data:…)` : `${label} (${url})`);
  }
  const address = escapeText(url.replace(/[\s<>|]/g, encodeURIComponent));
  const said = (label + honestyOf(label, url)).replaceAll(/\s+/g, " ").replaceAll("|", "¦");
  return said.trim() === "" || said === url ? `<${address}>` : `<${address}|${escapeText(said)}>`;
}

/** A link in the platform's own form, and an address that it makes a link of by itself. */
const LINK = /<(https?:\/\/[^\s|<>]+)\|([^<>\n]+)>|(https?:\/\/[^\s<>]+)/g;

function renderText(text: string): string {
  let rendered = "";
  let from = 0;
  for (const { index, 0: all, 1: url, 2: label = "" } of text.matchAll(LINK)) {
    rendered += escapeMarks(text.slice(from, index));
    rendered += url === undefined ? escapeText(all) : renderLink(url, label);
    from = index + all.length;
  }
  return rendered + escapeMarks(text.slice(from));
}

/** Signs that would be marks where they stand: neither inside of a word nor between spaces. */
const MARK = /(?<![\p{L}\p{N}])[*_~`](?=\S)|(?<=\S)[*_~`](?![\p{L}\p{N}])/gu;

function escapeMarks(text: string): string {
  const safe = text.replace(MARK, `${GAP}$&${GAP}`);
  return escapeText(safe).replace(/^&gt;/gm, `${GAP}&gt;`);
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeCode(code: string): string {
  return escapeText(code.replaceAll("```", `\`\`${GAP}\``));
}

function stripTags(html: string): string {
  return html.replace(/<!--[\s\S]*?(?:-->|$)|<\/?[a-z][^>]*>/gi, "").trim();
}

/** Wider cells are not aligned. */
const MAX_CELL_CODE_POINTS = 40;

function alignTable(table: Table): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => textOf(cell).replaceAll(/\s+/g, " ").trim()),
  );
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.min(MAX_CELL_CODE_POINTS, Math.max(...rows.map((row) => [...(row[column] ?? "")].length))),
  );
  return rows
    .map((row) =>
      row
        .map(
          (cell, column) =>
            cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length)),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
