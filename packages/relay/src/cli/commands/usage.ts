import { DAY_MS } from "../../people/limits.ts";
import { Usage, type UsageGroup } from "../../people/usage.ts";
import { withKeptDb } from "./kept-db.ts";

/** A table of what was used in the last so many days, the most expensive first. */
export function showUsage(stateDir: string, group: UsageGroup, days: number): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    const rows = new Usage(db, {}, Date.now).by(group, days * DAY_MS);
    if (rows.length === 0) return "Nothing was used.\n";
    const lines = rows.map(({ name, turns, minutes, tokens, cost }) =>
      columns(
        String(turns),
        minutes.toFixed(1),
        String(tokens),
        cost.toFixed(2),
        name.replaceAll("\n", " ") || "-",
      ),
    );
    return [columns("TURNS", "MINUTES", "TOKENS", "COST", group.toUpperCase()), ...lines].join("");
  });
}

function columns(turns: string, minutes: string, tokens: string, cost: string, name: string) {
  return `${turns.padStart(7)}${minutes.padStart(10)}${tokens.padStart(13)}${cost.padStart(10)}  ${name}\n`;
}
