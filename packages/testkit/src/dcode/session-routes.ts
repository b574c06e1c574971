import type { ServerResponse } from "node:http";
import {
  ErrorCode,
  execRequestSchema,
  ProtocolError,
  resolveApprovalRequestSchema,
  steerRequestSchema,
  submitTurnRequestSchema,
} from "@acp-kit/dcode-protocol";
import type { Answer } from "./answer.ts";
import type { FakeSession } from "./fake-session.ts";
import type { Settings } from "./options.ts";
import { readBody, readMode } from "./requests.ts";

/** `POST /v1/sessions/{id}/{action}`, but for renaming, which needs no live session. */
export type SessionAction = (
  session: FakeSession,
  body: string,
  context: {
    readonly settings: Settings;
    readonly rest: readonly string[];
    readonly response: ServerResponse;
  },
) => Answer | Promise<Answer>;

export const sessionActions: Readonly<Record<string, SessionAction>> = {
  turns(session, body) {
    session.submit(readBody(submitTurnRequestSchema, body));
    return { status: 202 };
  },
  steer(session, body) {
    session.steer(readBody(steerRequestSchema, body).text);
    return { status: 202 };
  },
  interrupt(session) {
    session.interrupt();
    return { status: 204 };
  },
  approvals(session, body, { rest: [id = ""] }) {
    session.resolve(id, readBody(resolveApprovalRequestSchema, body).decision);
    return { status: 204 };
  },
  undo(session, _body, { settings }) {
    session.refuseUndoWhileRunning();
    return { status: 200, json: settings.undo };
  },
  mode(session, body) {
    session.setMode(readMode(body));
    return { status: 204 };
  },
  async exec(session, body, { response }) {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    await session.exec(readBody(execRequestSchema, body).command, gone.signal);
    return { status: 204 };
  },
  done(session) {
    if (!session.start.qualify || session.proposed === 0) {
      throw new ProtocolError(ErrorCode.invalidInput, "nothing was proposed");
    }
    const criteria = session.proposed;
    session.proposed = 0;
    return {
      status: 200,
      json: { path: ".dcode/tasks.md", summary: `${criteria} criteria\n`, criteria },
    };
  },
};
