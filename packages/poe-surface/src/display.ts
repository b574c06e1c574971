import type { Display, Options } from "@acp-kit/router";

/** What is shown beside the answer to somebody with these options. */
export function displayOf({
  hideThinking,
  showPlans,
  showTools,
  showToolDetails,
}: Options): Display {
  return {
    thoughts: !hideThinking,
    plan: showPlans,
    tools: showTools,
    toolDetails: showToolDetails,
  };
}
