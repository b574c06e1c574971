// An agent built on serveAgent, for foreign clients. Usage: served-agent.ts [STORE_DIRECTORY]
import { type AgentSession, createFileStore, serveAgent } from "../../src/index.ts";

const [directory] = process.argv.slice(2);
const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "keep", name: "Always", kind: "allow_persistent" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

// What a careless library prints must not reach the client.
setTimeout(() => console.log("a stray line on stdout"));

await serveAgent({
  info: { name: "served-agent", version: "1.0.0" },
  ...(directory !== undefined && { store: createFileStore(directory) }),
  factory: {
    newSession({ sink }): AgentSession {
      const modes = {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "code", name: "Code" },
        ],
      };
      void sink.commands([{ name: "test", description: "Run the tests" }]);
      return {
        modes,
        async setMode(modeId) {
          modes.currentModeId = modeId;
          await sink.mode(modeId);
        },
        async prompt(turn) {
          console.log("another stray line");
          if (turn.promptText === "wait") {
            await turn.text("waiting");
            await turn.cancelled;
            return;
          }
          await turn.thought("Let me see.");
          await turn.plan([{ content: "Run it", priority: "high", status: "in_progress" }]);
          const call = { toolCallId: "t1", title: "Run it", kind: "execute" } as const;
          await turn.toolCall({ ...call, status: "pending", rawInput: { command: "ls" } });
          const outcome = await turn.requestPermission(call, options);
          const allowed = outcome.outcome === "selected" && outcome.optionId !== "no";
          await turn.toolCallUpdate({ toolCallId: "t1", status: allowed ? "completed" : "failed" });
          await turn.text(allowed ? `Done in ${modes.currentModeId}: ` : "Not allowed: ");
          for (const word of turn.promptText.split(" ")) await turn.text(`${word} `);
          await turn.usage({ used: 10, size: 1_000 });
          return undefined;
        },
      };
    },
  },
});
