import type { Image, Link, Nodes } from "mdast";
import { honestyOf, hostOf } from "./address.ts";
import { escapeLabel } from "./label.ts";
import type { Tree } from "./parse-tree.ts";
import { walkTree } from "./walk-tree.ts";

/** A stretch of the source, by UTF-16 offsets, and what stands for it. */
export type Patch = { readonly from: number; readonly to: number; readonly text: string };

/** What has to be changed in a text before it goes out, in order. Pure. */
export function patchesOf(tree: Tree, source: string): readonly Patch[] {
  const likeLinks = Array.from(source.matchAll(linkLike), ({ index }) => index);
  let next = 0;
  const patches: Patch[] = [];
  for (const node of walkTree(tree, ({ type }) => type === "link")) {
    const { from, to } = placeOf(node);
    if (node.type === "image") patches.push({ from, to, text: renderImage(node) });
    else if (node.type === "link") patches.push(...patchLink(node, source));
    else if (node.type === "text" || node.type === "html") {
      while ((likeLinks[next] ?? to) < from) next += 1;
      for (let at = likeLinks[next] ?? to; at < to; at = likeLinks[next] ?? to) {
        patches.push({ from: at, to: at, text: "\\" });
        next += 1;
      }
    }
  }
  return withPlain(patches, tree.bounds.plain, source);
}

/** With signs beyond the bounds as letters, for every reader. None of them is inside of a link. */
function withPlain(
  patches: readonly Patch[],
  plain: ReadonlySet<number>,
  source: string,
): readonly Patch[] {
  if (plain.size === 0) return patches;
  const others = patches.filter(({ from }) => !plain.has(from));
  const escapes = Array.from(plain, (at) => ({ from: at, to: at + 1, text: `\\${source[at]}` }));
  return [...others, ...escapes].sort((a, b) => a.from - b.from);
}

/** A part of a source with those patches in it that lie within it as a whole. */
export function applyPatches(
  patches: readonly Patch[],
  source: string,
  from: number,
  to: number,
): string {
  let text = "";
  let at = from;
  for (const patch of patches) {
    if (patch.to > to || patch.from < at) continue;
    text += source.slice(at, patch.from) + patch.text;
    at = patch.to;
  }
  return text + source.slice(at, to);
}

/** Not a link by what is read here: the platform should not make one of it either. */
const linkLike = /(?<=\])\(|(?<=^[ \t>]*)\[(?=[^\]\n]{1,200}\]:)/gm;

function patchLink(link: Link, source: string): readonly Patch[] {
  const { from, to } = placeOf(link);
  const isLink = hostOf(link.url) !== undefined;
  if (source[from] === "<") return isLink ? [] : [{ from, to: from, text: "\\" }];
  const last = link.children.at(-1);
  const labelEnd = last ? placeOf(last).to : from + 1;
  const images = [...walkTree(link)].filter((node) => node.type === "image");
  const shown = honestyOf(textOf(link), link.url);
  // A link inside of a link would end the outer one: of a picture in a label, its words stay there.
  const inside = images.map((image) => ({ ...placeOf(image), text: escapeLabel(altOf(image)) }));
  if (!isLink) {
    const opening = [...source.slice(labelEnd, to).matchAll(/(?<=^\])\(|</g)];
    const escapes = opening.map(({ index }) => labelEnd + index);
    return [...inside, ...escapes.map((at) => ({ from: at, to: at, text: "\\" }))];
  }
  const behind = images.map((image) => ` (${renderImage({ ...image, alt: "image" })})`).join("");
  return [
    ...inside,
    ...(shown === "" ? [] : [{ from: labelEnd, to: labelEnd, text: shown }]),
    ...(behind === "" ? [] : [{ from: to, to, text: behind }]),
  ];
}

function renderImage(image: Image): string {
  const label = altOf(image);
  const address = image.url.replace(/[\s<>\\()]/g, encodeURIComponent).replaceAll("(", "%28");
  // Embedded bytes are nothing to read, and there may be a million of them.
  if (hostOf(image.url) === undefined) return `${escapeLabel(label)} (not a picture of the web)`;
  const safe = address.replaceAll(")", "%29");
  return `[${escapeLabel(label + honestyOf(label, image.url))}](${safe})`;
}

function altOf({ alt }: Image): string {
  return (alt ?? "").replaceAll(/\s+/g, " ").trim() || "image";
}

/** The words of a node, without their markup. */
export function textOf(node: Nodes): string {
  let text = "";
  for (const one of walkTree(node)) {
    if (one.type === "image") text += one.alt ?? "";
    else if ("value" in one) text += one.value;
    else if (!("children" in one)) text += " ";
  }
  return text;
}

export function placeOf({ position }: Nodes): { readonly from: number; readonly to: number } {
  return { from: position?.start.offset ?? 0, to: position?.end.offset ?? 0 };
}
