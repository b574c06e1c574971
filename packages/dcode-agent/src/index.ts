export { Daemon } from "./daemon.ts";
export { DCODE_META, type Mapped } from "./mapping/mapped.ts";
export { type MappingStep, reduceEvent } from "./mapping/reduce-event.ts";
export { createMappingState, type MappingState } from "./mapping/state.ts";
export { type ServeDcodeOptions, serveDcode } from "./serve-dcode.ts";
