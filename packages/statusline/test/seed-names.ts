/** Each name of the Go package that this one ports, with what stands for it here. */
export const seedNames = {
  ExtensionID: { ours: "EXTENSION_ID" },
  MaxFieldRunes: { ours: "MAX_FIELD_RUNES" },
  CapRunes: { ours: "capRunes" },
  ParseMeta: { ours: "parseMeta" },
  ProviderEmoji: { ours: "providerEmoji" },
  ProviderEmojiForModel: { ours: "providerEmojiForModel" },
  Segments: { ours: "segments" },
  Status: { ours: "Status" },
  "Status.ProviderEmoji": { ours: "Status.providerEmoji" },
  "Status.Mood": { ours: "Status.mood" },
  "Status.Plan": { ours: "Status.plan" },
} as const;
