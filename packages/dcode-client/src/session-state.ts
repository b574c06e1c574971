import {
  type ApprovalRequest,
  type DcodeEvent,
  type ErrorBody,
  isKnownEvent,
  type KnownEvent,
  type Session,
} from "@acp-kit/dcode-protocol";

/** A turn, told by the seq of its `turn.started`: its id comes again in a resumed session. */
export type TrackedTurn = { readonly seq: number; readonly id: string };

/** A tool call, told by the seq of the event that first spoke of it: its id may come again too. */
export type TrackedCall = {
  readonly seq: number;
  readonly id: string;
  /** Empty while no event has named the tool. */
  readonly name: string;
  /** The seq of its `tool.requested`; absent while its arguments still arrive. */
  readonly requestedAt?: number;
  /** Absent for a command that a person typed. */
  readonly turn?: TrackedTurn;
};

/** An approval, told by the seq of its request: two batches of a turn share ids. */
export type TrackedApproval = {
  readonly seq: number;
  readonly request: ApprovalRequest;
  readonly call?: TrackedCall;
};

export type SessionState = {
  /** Seq of the last event. */
  readonly position: number;
  /** Events up to this seq happened before the session was looked at; what they set is known already. */
  readonly historyEnd: number;
  readonly mode: string;
  readonly sandboxMode: string;
  /** The name that a person gave, where an event has told it. */
  readonly name?: string;
  /** The running turn. */
  readonly turn?: TrackedTurn;
  /** Calls that have not completed. Many never do: `ended` of the step that ends their turn has them. */
  readonly calls: readonly TrackedCall[];
  /** Approvals that wait for an answer. */
  readonly approvals: readonly TrackedApproval[];
  /** The last error since the last turn began. */
  readonly error?: ErrorBody;
};

/** The state behind an event, and what the event is about. */
export type SessionStep = {
  readonly state: SessionState;
  /** It is history: show it, but do not act on it. */
  readonly history: boolean;
  readonly turn?: TrackedTurn;
  /** Absent from a `tool.completed` or an approval that nothing announced. */
  readonly call?: TrackedCall;
  readonly approval?: TrackedApproval;
  /** Calls that will not complete any more, oldest first. */
  readonly ended: readonly TrackedCall[];
};

/**
 * Where to start: the answer to creating or reading the session, before any of its events.
 *
 * Its mode counts, not that of the events up to its `last_seq`: in a resumed session these are
 * another session's.
 */
export function createSessionState(session: Session): SessionState {
  return {
    position: session.first_seq - 1,
    historyEnd: session.last_seq,
    mode: session.mode,
    sandboxMode: session.sandbox_mode,
    calls: [],
    approvals: [],
  };
}

/** Takes the session's next event. Pure. */
export function reduceSession(before: SessionState, event: DcodeEvent): SessionStep {
  const history = event.seq <= before.historyEnd;
  const state = { ...before, position: event.seq };
  if (!isKnownEvent(event)) return { state, history, ended: [] };
  return { history, ended: [], ...reduceKnown(state, event, history) };
}

type Step = Pick<SessionStep, "state"> & Partial<SessionStep>;

function reduceKnown(state: SessionState, event: KnownEvent, history: boolean): Step {
  switch (event.type) {
    case "session.renamed":
      return { state: { ...state, name: event.payload.name } };
    case "session.mode_changed":
      if (history) return { state };
      return {
        state: {
          ...state,
          mode: event.payload.mode,
          sandboxMode: event.payload.sandbox_mode || state.sandboxMode,
        },
      };
    case "session.error":
      return { state: history ? state : { ...state, error: event.payload } };
    case "turn.started": {
      // A turn that a dying daemon left open ends here, and so does what it left.
      const { error: _, ...rest } = state;
      const turn = { seq: event.seq, id: event.payload.turn_id };
      return { state: { ...rest, turn, calls: [], approvals: [] }, turn, ended: state.calls };
    }
    case "turn.completed": {
      const { turn, ...rest } = state;
      return {
        state: { ...rest, calls: [], approvals: [] },
        ...(turn && { turn }),
        ended: state.calls,
      };
    }
    case "turn.steered":
    case "message.delta":
    case "message.reasoning":
    case "done.proposed":
      return { state, ...turnOf(state, event.payload.turn_id) };
    case "progress":
      return reduceProgress(state, event);
    case "tool.requested": {
      const { tool_call_id: id, name, turn_id: turnId } = event.payload;
      return openCall(state, {
        seq: event.seq,
        id,
        name,
        requestedAt: event.seq,
        ...turnOf(state, turnId),
      });
    }
    case "tool.approval_required": {
      const call = findCall(state, event.payload.tool_call_id);
      const approval = { seq: event.seq, request: event.payload, ...(call && { call }) };
      return {
        state: { ...state, approvals: [...state.approvals, approval] },
        ...turnOf(state, event.payload.turn_id),
        ...(call && { call }),
        approval,
      };
    }
    case "tool.approval_resolved": {
      const approval = state.approvals.findLast(
        (each) => each.request.approval_id === event.payload.approval_id,
      );
      if (!approval) return { state };
      const approvals = state.approvals.filter((each) => each !== approval);
      const { call } = approval;
      return {
        state: { ...state, approvals },
        approval,
        ...(call && { call, ...(call.turn && { turn: call.turn }) }),
      };
    }
    case "tool.completed": {
      const call = findCall(state, event.payload.tool_call_id);
      if (!call) return { state };
      const calls = state.calls.filter((each) => each !== call);
      return { state: { ...state, calls }, call, ...(call.turn && { turn: call.turn }) };
    }
    default:
      return { state };
  }
}

function reduceProgress(
  state: SessionState,
  event: Extract<KnownEvent, { type: "progress" }>,
): Step {
  const { kind, tool_call_id: id, name, turn_id: turnId } = event.payload;
  const turn = turnOf(state, turnId);
  if (id === undefined) return { state, ...turn };
  const call = findCall(state, id);
  // Arguments of a call that was requested already are those of another one with its id.
  if (kind === "arguments" && (!call || call.requestedAt !== undefined)) {
    return openCall(state, { seq: event.seq, id, name: name ?? "", ...turn });
  }
  return { state, ...turn, ...(call && { call }) };
}

/** Opens a call, or fills in the one whose arguments were announced; ends an older one with its id. */
function openCall(state: SessionState, opened: TrackedCall): Step {
  const older = findCall(state, opened.id);
  const announced = older && older.requestedAt === undefined && opened.requestedAt !== undefined;
  const call = announced ? { ...opened, seq: older.seq } : opened;
  const calls = announced
    ? state.calls.map((each) => (each === older ? call : each))
    : [...state.calls.filter((each) => each !== older), call];
  return {
    state: { ...state, calls },
    call,
    ...(opened.turn && { turn: opened.turn }),
    ended: older && !announced ? [older] : [],
  };
}

function findCall(state: SessionState, id: string): TrackedCall | undefined {
  return state.calls.findLast((call) => call.id === id);
}

function turnOf(state: SessionState, id: string): { turn?: TrackedTurn } {
  return state.turn?.id === id ? { turn: state.turn } : {};
}
