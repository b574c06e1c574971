import { z } from "zod";
import type { ContentBlock, ResourceContents } from "../types/content.ts";
import { maybe, meta, openUnion } from "./open.ts";

const text = maybe(z.string());
const annotations = maybe(
  z.looseObject({
    audience: maybe(z.array(z.enum(["assistant", "user"]))),
    lastModified: text,
    priority: maybe(z.number()),
    _meta: meta,
  }),
);
const common = { annotations, _meta: meta };

const resourceContents: z.ZodType<ResourceContents> = z.union([
  z.looseObject({ uri: z.string(), text: z.string(), mimeType: text, _meta: meta }),
  z.looseObject({ uri: z.string(), blob: z.string(), mimeType: text, _meta: meta }),
]);

export const contentBlockSchema: z.ZodType<ContentBlock> = openUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string(), ...common }),
  z.looseObject({
    type: z.literal("image"),
    data: z.string(),
    mimeType: z.string(),
    uri: text,
    ...common,
  }),
  z.looseObject({
    type: z.literal("audio"),
    data: z.string(),
    mimeType: z.string(),
    ...common,
  }),
  z.looseObject({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: z.string(),
    title: text,
    description: text,
    mimeType: text,
    size: maybe(z.number()),
    ...common,
  }),
  z.looseObject({ type: z.literal("resource"), resource: resourceContents, ...common }),
]) as z.ZodType<ContentBlock>;
