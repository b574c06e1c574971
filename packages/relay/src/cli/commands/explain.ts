import { explain } from "../../journal/explain.ts";
import { formatExplanation } from "../../journal/format-explanation.ts";
import { withKeptDb } from "./kept-db.ts";

/** What is known about a reference or an id, readable or as JSON. */
export async function explainAbout(
  stateDir: string,
  about: string,
  asJson: boolean,
): Promise<string> {
  const explanation = await withKeptDb(stateDir, (db) => explain(db, about));
  return asJson
    ? `${JSON.stringify(explanation, null, 2)}\n`
    : formatExplanation(about, explanation);
}
