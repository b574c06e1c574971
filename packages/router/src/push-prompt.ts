import { pipeToSink } from "./pipe-to-sink.ts";
import { findRequest } from "./prompt-blocks.ts";
import type { PromptRequest, Router } from "./router.ts";
import type { ChunkSink } from "./sink.ts";

/** Posts a message and shows its turn on a sink, push style. An aborted `signal` cancels the turn. */
export async function pushPrompt(
  router: Pick<Router, "submit" | "cancelTurn" | "log">,
  { conversation, user, query, options, renderer, show }: PromptRequest,
  sink: ChunkSink,
  about: { now: () => number; onFailure: (error: unknown) => void; signal?: AbortSignal },
): Promise<void> {
  const { now, onFailure, signal } = about;
  const { turn, after } = await router.submit(conversation, {
    kind: "prompt",
    key: findRequest(query)?.messageId ?? "",
    user,
    query,
    options,
    repeat: "attach",
    at: now(),
  });
  const cancel = () => {
    router.cancelTurn(conversation, turn, "user").catch(onFailure);
  };
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  try {
    const cursor = router.log(conversation).follow({ after, turn });
    const display = show ?? {
      thoughts: !options.hideThinking,
      plan: options.showPlans,
      tools: options.showTools,
      toolDetails: options.showToolDetails,
    };
    await pipeToSink(cursor, sink, renderer, display, turn, now);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
