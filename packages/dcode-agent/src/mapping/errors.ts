import { ErrorCode as Rpc, RpcError } from "@acp-kit/acp-wire";
import { ClientError } from "@acp-kit/dcode-client";
import { asError, type ErrorBody, ErrorCode } from "@acp-kit/dcode-protocol";

const codes: ReadonlyMap<string, number> = new Map<string, number>([
  [ErrorCode.sessionNotFound, Rpc.resourceNotFound],
  [ErrorCode.invalidInput, Rpc.invalidParams],
  [ErrorCode.workspaceInvalid, Rpc.invalidParams],
  [ErrorCode.turnAlreadyActive, Rpc.invalidRequest],
  [ErrorCode.noActiveTurn, Rpc.invalidRequest],
  ["auth", Rpc.authRequired],
]);

/** What the client is told of a failed call. `data.code` is dcode's own code, or the client's. */
export function rpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ClientError) {
    const code = error.code === "unsupported" ? Rpc.methodNotFound : Rpc.internalError;
    return new RpcError(code, error.message, { code: error.code });
  }
  const refusal = asError(error);
  if (refusal !== undefined) {
    const { code, text } = refusal;
    return new RpcError(codes.get(code) ?? Rpc.internalError, text || code, { code });
  }
  return new RpcError(Rpc.internalError, "Internal error");
}

/**
 * The code of what a call failed with: dcode's, or the client's. Its own errors have those of the
 * parsers as their cause, which say less.
 */
export function failureCode(error: unknown): string | undefined {
  return error instanceof ClientError ? error.code : asError(error)?.code;
}

/**
 * What the client is told of a turn that began and failed. Never that the session is unknown: clients
 * take that for leave to send the prompt again, and the turn may have changed files by now.
 */
export function turnFailure(error: ErrorBody | undefined): RpcError {
  if (error === undefined) {
    return new RpcError(Rpc.internalError, "The turn failed, and dcode does not say why", {
      code: "error",
    });
  }
  const { code, message } = error;
  const rpc = code === "auth" ? Rpc.authRequired : Rpc.internalError;
  return new RpcError(rpc, message || code, { code });
}
