import type { Usage } from "./events.ts";
import { asFields } from "./fields.ts";
import type { RouterMetric } from "./metrics.ts";
import type { Attached } from "./session-slot.ts";

type Cost = NonNullable<Usage["cost"]>;

/** What is known of the cost of a turn. */
export type TurnSpent = Omit<
  Extract<RouterMetric, { kind: "spent" }>,
  "kind" | "conversation" | "turn"
>;

/** What a session has used in all, as far as its agent told in one turn. */
export class SessionSpending {
  #tokens: number | undefined;
  #cost: Cost | undefined;

  noteCost(cost: Cost): void {
    this.#cost = cost;
  }

  /** Agents may tell the tokens with their answer to a prompt. */
  noteResult(result: unknown): void {
    const tokens = asFields(asFields(result)?.["usage"])?.["totalTokens"];
    const isCount = typeof tokens === "number" && Number.isFinite(tokens) && tokens >= 0;
    if (isCount) this.#tokens = tokens;
  }

  of(agent: string, { session, settings }: Pick<Attached, "session" | "settings">): TurnSpent {
    const model = settings.get("model")?.current;
    return {
      agent,
      session,
      ...(typeof model === "string" && { model }),
      ...(this.#tokens !== undefined && { tokens: this.#tokens }),
      ...(this.#cost && { cost: this.#cost }),
    };
  }
}
