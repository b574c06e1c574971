import type { Image, Link, Nodes, Root } from "mdast";
import { honestyOf, hostOf } from "./address.ts";
import { escapeLabel } from "./label.ts";

/** A stretch of the source, by UTF-16 offsets, and what stands for it. */
export type Patch = { readonly from: number; readonly to: number; readonly text: string };

/** What has to be changed in a text before it goes out, in order. Pure. */
export function patchesOf(tree: Root, source: string): readonly Patch[] {
  return patchNode(tree, source);
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

function patchNode(node: Nodes, source: string): readonly Patch[] {
  const { from, to } = placeOf(node);
  switch (node.type) {
    case "text":
    case "html":
      return patchText(source, from, to);
    case "image":
      return [{ from, to, text: renderImage(node) }];
    case "link":
      return patchLink(node, source);
    default:
      return "children" in node ? node.children.flatMap((child) => patchNode(child, source)) : [];
  }
}

/** Not a link by what is read here: the platform should not make one of it either. */
const linkLike = /(?<=\])\(|(?<=^[ \t>]*)\[(?=[^\]\n]{1,200}\]:)/gm;

function patchText(source: string, from: number, to: number): readonly Patch[] {
  const lineStart = source.lastIndexOf("\n", from - 1) + 1;
  const lineEnd = source.indexOf("\n", to);
  return [...source.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).matchAll(linkLike)]
    .map(({ index }) => lineStart + index)
    .filter((at) => at >= from && at < to)
    .map((at) => ({ from: at, to: at, text: "\\" }));
}

function patchLink(link: Link, source: string): readonly Patch[] {
  const { from, to } = placeOf(link);
  const isLink = hostOf(link.url) !== undefined;
  if (source[from] === "<") return isLink ? [] : [{ from, to: from, text: "\\" }];
  const last = link.children.at(-1);
  const labelEnd = last ? placeOf(last).to : from + 1;
  const images = imagesIn(link);
  const shown = honestyOf(textOf(link), link.url);
  const inside = link.children.flatMap((child) => patchLabel(child, source));
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

/** A link inside of a link would end the outer one: of a picture in a label, its words stay there. */
function patchLabel(node: Nodes, source: string): readonly Patch[] {
  if (node.type === "image") return [{ ...placeOf(node), text: escapeLabel(altOf(node)) }];
  return "children" in node ? node.children.flatMap((child) => patchLabel(child, source)) : [];
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

function imagesIn(node: Nodes): readonly Image[] {
  if (node.type === "image") return [node];
  return "children" in node ? node.children.flatMap(imagesIn) : [];
}

/** The words of a node, without their markup. */
export function textOf(node: Nodes): string {
  if ("children" in node) return node.children.map(textOf).join("");
  if (node.type === "image") return node.alt ?? "";
  return "value" in node ? node.value : " ";
}

export function placeOf({ position }: Nodes): { readonly from: number; readonly to: number } {
  return { from: position?.start.offset ?? 0, to: position?.end.offset ?? 0 };
}
