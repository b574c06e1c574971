import type { PendingCommand } from "@acp-kit/relay";
import { type Options, RouterError, type Turn } from "@acp-kit/router";
import { readDelivered } from "./delivery.ts";
import type { ReaderMark } from "./delivery-state.ts";
import { findForeignReader, type Surroundings } from "./elsewhere.ts";
import { decideIntake, type Intake, intakeOf, type Message } from "./intake.ts";
import { carryOut, type Plan, refusals } from "./plan.ts";
import type { OpenResponse } from "./response-host.ts";
import { describeVerdict, type Verdict } from "./verdict.ts";

export type Question = {
  readonly around: Surroundings;
  readonly message: Message;
  /** What the relay itself is to do about it. */
  readonly command: PendingCommand | undefined;
  readonly query: readonly Turn[];
  readonly options: Options;
  /** What they are where nobody chose anything. */
  readonly defaults: Options;
  /** The platform's id of this very request; may be empty. */
  readonly request: string;
  readonly at: number;
  /** The responses of this process to other messages of the conversation. */
  readonly others: readonly OpenResponse[];
  /** Called when an abandoned turn has to be stopped first. */
  readonly onStopping: () => void;
};

export type Decision = {
  readonly plan: Plan;
  readonly verdict: Verdict;
  /** The response of another process that reads before this one. */
  readonly foreign?: ReaderMark;
  /** Id of the response of another process whose place this one takes. */
  readonly replaced?: string;
};

/** What has nothing to do with the turn of a client that is gone. */
const ASIDES: ReadonlySet<Intake["kind"]> = new Set(["say", "reply", "show-new", "show"]);

/** Finds out what a message means, ends what its sender has abandoned, and posts it. */
export async function decide(question: Question): Promise<Decision> {
  const { around, message, command, others, onStopping } = question;
  const { router, conversation, log } = around;
  const outcome = await command?.run();
  const abandoned = others.filter(({ isAbandoned, user }) => isAbandoned && user === message.user);
  const reader = await findForeignReader(around);
  const isAbandonedThere = reader?.phase === "gone" && reader.user === message.user;
  const foreign = isAbandonedThere ? undefined : reader;
  const [running] = await router.openTurns(conversation);
  const intake = outcome
    ? intakeOf(outcome)
    : decideIntake(message, {
        running,
        state: (await readDelivered(log)).state,
        isShown: foreign !== undefined || others.some(({ isAbandoned }) => !isAbandoned),
      });
  const takesOver = intake.kind === "continue" || intake.kind === "answer";
  const isAside = ASIDES.has(intake.kind);
  if (takesOver) {
    for (const other of abandoned) other.supersede();
  } else if (!isAside && (abandoned.length > 0 || isAbandonedThere)) {
    onStopping();
    await Promise.all(abandoned.map((other) => other.stop()));
    if (isAbandonedThere && reader.until !== undefined) {
      await router.cancelTurn(conversation, reader.until, "user", message.user, "implied");
    }
  }
  const plan = await post(intake, question);
  return {
    plan,
    verdict: describeVerdict(intake, plan, command?.name),
    ...(foreign && { foreign }),
    ...(takesOver && isAbandonedThere && { replaced: reader.id }),
  };
}

async function post(
  intake: ReturnType<typeof decideIntake>,
  { around, ...question }: Question,
): Promise<Plan> {
  const { router, conversation, log } = around;
  try {
    const delivered = await readDelivered(log);
    return await carryOut(intake, { router, conversation, delivered, ...question });
  } catch (error) {
    const refusal = error instanceof RouterError ? refusals[error.code] : undefined;
    if (!refusal) throw error;
    return refusal;
  }
}
