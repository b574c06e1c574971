/** How often a law is tried: a little in every run of the suite, in full with `pnpm soak`. */
export function runs(inSuite: number, inFull: number): number {
  return process.env["ACP_KIT_SOAK"] === "1" ? inFull : inSuite;
}

/** Every run of the suite tries the same cases; a soak tries new ones. */
export const seed = process.env["ACP_KIT_SOAK"] === "1" ? {} : { seed: 20_261_130 };
