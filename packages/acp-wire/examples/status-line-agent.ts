import { type AgentSession, serveAgent } from "@acp-kit/acp-wire";
import { advertise, buildMeta } from "@acp-kit/statusline";

function newSession(): AgentSession {
  return {
    async prompt(turn) {
      const steps = ["Read the code", "Change it", "Run the tests"];
      for (const [done, step] of steps.entries()) {
        const meta = buildMeta({ mood: "focused", plan: `${done}/${steps.length}` });
        // The status rides on an update that is sent anyway.
        await turn.thought(`${step}. `, meta);
      }
      await turn.text("All done.", buildMeta({ mood: "happy", plan: "3/3" }));
      // Nothing to say but the status: here, that there is none any more.
      await turn.status(buildMeta({}));
    },
  };
}

await serveAgent({
  info: { name: "status-line-example", version: "1.0.0" },
  capabilities: { _meta: advertise() },
  factory: { newSession },
});
