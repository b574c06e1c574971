/** Where each name of the Go package that this one grew from went: an export of ours, or the reason why there is none. */
export const seedNames = {
  Agent: { ours: "Agent" },
  Attachment: { ours: "Attachment" },
  ChunkSink: { ours: "ChunkSink" },
  Config: { ours: "RouterConfig" },
  DebugInfo: { ours: "DebugInfo" },
  Options: { ours: "Options" },
  ParseOptions: { ours: "parseOptions" },
  Router: { ours: "Router" },
  New: { ours: "createRouter" },
  "Router.Cancel": { ours: "Router", member: "cancel" },
  "Router.Debug": { ours: "Router", member: "debug" },
  "Router.Defaults": { ours: "Router", member: "defaults" },
  "Router.Len": { ours: "Router", member: "size" },
  "Router.Prompt": { ours: "Router", member: "prompt" },
  "Router.ReportReaction": {
    leftOut: "reactions become turns of their own in a later version; surfaces acknowledge them",
  },
  "Router.RunGC": { ours: "Router", member: "runGc" },
  Turn: { ours: "Turn" },
} as const;
