export { demoAgentCommand } from "./command.ts";
export { demoScript } from "./demo.ts";
export { parseScript, ScriptError } from "./parse-script.ts";
export type { RecordEntry, RecordedFact } from "./recorder.ts";
export { scenarios } from "./scenarios.ts";
export type {
  AgentTraits,
  AskStep,
  Fault,
  Ignorable,
  Meta,
  Model,
  Pace,
  Script,
  Step,
  StepKind,
  StepOf,
  WhenStep,
} from "./script.ts";
