import type { Script, Step } from "@acp-kit/demo-agent";
import type { ContractApp } from "./contract-app.ts";

export type ContractScenario = {
  /** A sentence that can be false. */
  readonly title: string;
  /** What the agent does on a prompt with one of these words. */
  readonly on?: Readonly<Record<string, readonly Step[]>>;
  /** It ends processes, or looks at all of them: no other scenario may run beside it. */
  readonly isAlone?: true;
  /** Fails by throwing. */
  run(app: ContractApp): Promise<void>;
};

/**
 * One agent for all scenarios: a prompt with a word of a scenario gets its steps, any other `heard`, what was said, and
 * `in` the session's directory. It ignores a cancel where the steps say so by the word `deaf`.
 */
export function createContractScript(scenarios: readonly ContractScenario[]): Script {
  const echo: readonly Step[] = [{ kind: "text", text: "heard {{prompt}}" }];
  const words = scenarios.flatMap(({ on = {} }) => Object.entries(on));
  const prompt = words.reduce<readonly Step[]>(
    (otherwise, [says, steps]) => [{ kind: "when", says, steps, otherwise }],
    echo,
  );
  return { prompt, cancel: [{ kind: "when", says: "deaf", steps: [{ kind: "wait" }] }] };
}
