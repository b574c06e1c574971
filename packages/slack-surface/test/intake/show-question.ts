import type { PermissionAsk } from "@acp-kit/router";
import { renderQuestion } from "../../src/index.ts";
import { type IntakeProcess, keyOf, until } from "./intake-rig.ts";

/** Shows the question of a turn as delivery does. */
export async function showQuestion(
  { router, workspace }: IntakeProcess,
  channel: string,
  thread: string,
): Promise<{ readonly ask: PermissionAsk; readonly reference: string }> {
  const conversation = keyOf(channel, thread);
  await until(async () => ((await router.openTurns(conversation))[0]?.asks.length ?? 0) > 0);
  const [open] = await router.openTurns(conversation);
  const [ask] = open?.asks ?? [];
  if (!open || !ask) throw new Error("Nothing is asked.");
  const { turn } = open;
  const { requester, id: permission } = ask;
  const question = { conversation, turn, permission, requester, channel };
  const { reference } = workspace.questions.add(question);
  const body = renderQuestion({ ask, reference, revision: 1, isPrivate: true });
  const posted = await workspace.call("chat.postMessage", {
    ...{ channel, thread_ts: thread, ...body },
  });
  if (posted.kind !== "ok") throw new Error("The question was not posted.");
  workspace.questions.posted(reference, String(posted.body["ts"]));
  return { ask, reference };
}
