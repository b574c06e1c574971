export { RESPONSE_LIMITS, type ResponseLimits } from "./limits.ts";
export { createPoeSurface, type PoeSurfaceOptions } from "./surface.ts";
