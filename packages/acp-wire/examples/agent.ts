import { serveAgent } from "@acp-kit/acp-wire";

const options = [
  { optionId: "shout", name: "Shout", kind: "allow_once" },
  { optionId: "no", name: "Do not", kind: "reject_once" },
];
await serveAgent({
  info: { name: "echo", version: "1.0.0" },
  factory: {
    newSession: ({ cwd }) => ({
      async prompt(turn) {
        await turn.thought(`Somebody speaks in ${cwd}.`);
        const answer = await turn.requestPermission({ toolCallId: "1", title: "Shout" }, options);
        const loud = answer.outcome === "selected" && answer.optionId === "shout";
        await turn.text(loud ? turn.promptText.toUpperCase() : turn.promptText);
      },
    }),
  },
});
