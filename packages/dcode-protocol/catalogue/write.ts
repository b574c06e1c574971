import { writeFileSync } from "node:fs";
import { renderCatalogue } from "./render.ts";

writeFileSync(new URL("../EVENTS.md", import.meta.url), renderCatalogue());
