import { ErrorCode, RpcError } from "../errors.ts";
import type { KnownConfigOption, SessionLoadResult, SessionModelState } from "../types/session.ts";
import type { AgentSession } from "./agent-session.ts";

/** What a session tells about its settings when it is opened. */
export function settingsOf(
  { modes, models, configOptions }: AgentSession,
  compat: boolean,
): SessionLoadResult & { models?: SessionModelState } {
  return {
    ...(modes && { modes }),
    ...(compat && models && { models }),
    ...(configOptions && { configOptions: [...configOptions] }),
  };
}

/** @throws RpcError -32602 for a mode that the session does not list, -32601 when it has none */
export async function changeMode(session: AgentSession, modeId: unknown): Promise<void> {
  const listed = session.modes?.availableModes;
  if (session.setMode !== undefined && listed !== undefined) {
    if (!listed.some((mode) => mode.id === modeId)) throw unknownValue("mode", modeId);
    await session.setMode(modeId as string);
  } else await changeCategory(session, "mode", modeId);
}

/** @throws RpcError -32602 for a model that the session does not list, -32601 when it has none */
export async function changeModel(session: AgentSession, modelId: unknown): Promise<void> {
  const listed = session.models?.availableModels;
  if (session.setModel !== undefined && listed !== undefined) {
    if (!listed.some((model) => model.modelId === modelId)) throw unknownValue("model", modelId);
    await session.setModel(modelId as string);
  } else await changeCategory(session, "model", modelId);
}

/** Answers with all options, as they are after the change. @throws RpcError -32602 */
export async function changeConfigOption(
  session: AgentSession,
  configId: unknown,
  value: unknown,
): Promise<{ configOptions: KnownConfigOption[] }> {
  const option = session.configOptions?.find((candidate) => candidate.id === configId);
  if (option === undefined || session.setConfigOption === undefined) {
    throw unknownValue("config option", configId);
  }
  if (!accepts(option, value)) throw unknownValue(`value of ${option.id}`, value);
  await session.setConfigOption(option.id, value);
  return { configOptions: [...(session.configOptions ?? [])] };
}

async function changeCategory(
  session: AgentSession,
  category: "mode" | "model",
  value: unknown,
): Promise<void> {
  const option = session.configOptions?.find((candidate) => candidate.category === category);
  if (option === undefined) {
    throw new RpcError(ErrorCode.methodNotFound, `This session has no ${category} to set`);
  }
  await changeConfigOption(session, option.id, value);
}

function accepts(option: KnownConfigOption, value: unknown): value is string | boolean {
  if (option.type === "boolean") return typeof value === "boolean";
  return option.options
    .flatMap((choice) => ("options" in choice ? choice.options : [choice]))
    .some((choice) => choice.value === value);
}

function unknownValue(what: string, value: unknown): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Unknown ${what} ${JSON.stringify(value)}`);
}
