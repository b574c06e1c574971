import type { Script } from "@acp-kit/demo-agent";
import { type ContractScenario, createContractScript } from "./contract-scenario.ts";
import { answers } from "./scenarios/answers.ts";
import { endings } from "./scenarios/endings.ts";
import { peopleAndFiles } from "./scenarios/people-and-files.ts";
import { questions } from "./scenarios/questions.ts";

/**
 * What every app keeps to, whatever its platform: run them all on one {@link ContractApp} whose agent follows
 * {@link contractScript}. Those that are not `isAlone` may run at once; the others come behind them, one by one.
 */
export const contractScenarios: readonly ContractScenario[] = [
  // The longest ones first.
  ...endings,
  ...answers,
  ...questions,
  ...peopleAndFiles,
];

/** What the agent of a {@link ContractApp} does. */
export const contractScript: Script = createContractScript(contractScenarios);
