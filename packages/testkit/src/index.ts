export { type AgentCommandOptions, agentCommand } from "./agent/agent-command.ts";
export { GatedAgent, GatedPrompt, YES_NO } from "./agent/gated-agent.ts";
export { collectOrphans, type Orphan } from "./agent/orphans.ts";
export { promptsIn, type ReceivedPrompt, readRecord } from "./agent/record.ts";
export { AppProcess, type AppProcessOptions, type Ran } from "./app-process.ts";
export { type Certificate, createCertificate } from "./certificate.ts";
export {
  CONTRACT_DEADLINE_MS,
  type ContractApp,
  type ContractChat,
  type ContractFile,
  type ContractPerson,
} from "./contract/contract-app.ts";
export { ContractProcess } from "./contract/contract-process.ts";
export type { ContractScenario } from "./contract/contract-scenario.ts";
export { contractScenarios, contractScript } from "./contract/contract-scenarios.ts";
export { type DcodeRequest, FakeDcode } from "./dcode/fake-dcode.ts";
export type { DcodeFault } from "./dcode/faults.ts";
export type { DcodeExec, FakeDcodeOptions } from "./dcode/options.ts";
export {
  type DcodeAsk,
  type DcodeCall,
  type DcodeScript,
  type DcodeStep,
  type DcodeTurn,
  demoDcodeScript,
} from "./dcode/script.ts";
export { findFreePort } from "./find-free-port.ts";
export {
  createPoeDriver,
  createPoeId,
  type PoeDriver,
  type PoeDriverMessage,
  type PoeQueryOptions,
  type PoeReply,
} from "./poe/driver.ts";
export {
  FakePoe,
  type FakePoeCost,
  type FakePoeFault,
  type FakePoeOptions,
  type FakePoeUpload,
} from "./poe/fake-poe.ts";
export type { PoeOutcome, PoeQuery, PoeQueryIds } from "./poe/query.ts";
export { createPoeReader, type PoeReader } from "./poe/reader.ts";
export type { PoeViolation, PoeViolationCode } from "./poe/violation.ts";
export { inlineScript, scripts } from "./scripts.ts";
export type { LiveButton } from "./slack/block-text.ts";
export { ManualClock, type SlackClock } from "./slack/clock.ts";
export type { SlackDelivery } from "./slack/deliveries.ts";
export { FakeSlack } from "./slack/fake-slack.ts";
export type { SlackFault } from "./slack/faults.ts";
export { signSlackRequest } from "./slack/http-transport.ts";
export { SLACK_LIMITS } from "./slack/limits.ts";
export type { FakeSlackOptions, SlackAppOptions, SlackChannelOptions } from "./slack/options.ts";
export type { SayOptions, SharedFile, SlackPerson } from "./slack/person.ts";
export type {
  SlackMessage,
  SlackNotice,
  SlackSession,
  SlackUser,
  SlackView,
} from "./slack/records.ts";
export type { SeenMessage } from "./slack/seen-message.ts";
export type { SocketFault } from "./slack/socket-mode.ts";
export { TestProxy } from "./test-proxy.ts";
export { waitFor } from "./wait-for.ts";
