// Writes biome.arrows.json, which biome.json extends, from the table of arrows.
// Run it after a change of arrows.ts: `node test/architecture/write-biome-arrows.ts`, then `pnpm fix`
import { writeFileSync } from "node:fs";
import { biomeArrows } from "./biome-arrows.ts";

const file = new URL("../../biome.arrows.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(biomeArrows(), null, 2)}\n`);
