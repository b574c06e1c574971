export { type Advertisement, advertise } from "./advertise.ts";
export { buildMeta, type StatusMeta } from "./build-meta.ts";
export { capRunes, MAX_ACTIVITY_RUNES, MAX_FIELD_RUNES } from "./cap-runes.ts";
export { EXTENSION_ID } from "./extension-id.ts";
export { type ParsedMeta, parseMeta } from "./parse-meta.ts";
export { providerEmoji, providerEmojiForModel } from "./provider-emoji.ts";
export { type Status, segments } from "./segments.ts";
export { shortModelName } from "./short-model-name.ts";
