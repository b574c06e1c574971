import type { Meta, Open } from "./meta.ts";

export type Annotations = {
  audience?: ("assistant" | "user")[] | null;
  lastModified?: string | null;
  priority?: number | null;
  _meta?: Meta | null;
};

export type TextContent = {
  type: "text";
  text: string;
  annotations?: Annotations | null;
  _meta?: Meta | null;
};

export type ImageContent = {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
  uri?: string | null;
  annotations?: Annotations | null;
  _meta?: Meta | null;
};

export type AudioContent = {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations | null;
  _meta?: Meta | null;
};

export type ResourceLink = {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | null;
  description?: string | null;
  mimeType?: string | null;
  size?: number | null;
  annotations?: Annotations | null;
  _meta?: Meta | null;
};

export type TextResourceContents = {
  uri: string;
  text: string;
  mimeType?: string | null;
  _meta?: Meta | null;
};

export type BlobResourceContents = {
  uri: string;
  /** Base64. */
  blob: string;
  mimeType?: string | null;
  _meta?: Meta | null;
};

/** What a `resource` block holds: text, or bytes as base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

export type EmbeddedResource = {
  type: "resource";
  resource: ResourceContents;
  annotations?: Annotations | null;
  _meta?: Meta | null;
};

/** The content blocks of ACP v1: what this side writes. */
export type KnownContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;

/** A content block as it comes in, which may be of a kind that is not known yet. */
export type ContentBlock = KnownContentBlock | Open<"type">;
