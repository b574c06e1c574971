import type { KnownSessionUpdate, Meta } from "@acp-kit/acp-wire";

/** What a dcode event becomes: an update, or a remark that is no part of an answer. */
export type Mapped =
  | { readonly update: KnownSessionUpdate; readonly meta?: Meta }
  | { readonly notice: "info" | "warning" | "error"; readonly text: string };

/** Under this key of `_meta` stands what dcode says and ACP has no field for. */
export const DCODE_META = "dev.acp-kit.dcode/v1";
