/*
 * What the demo says. It is read on a phone by somebody who has just started a relay: short paragraphs,
 * narrow tables and code. It claims nothing that the demo does not show.
 */

export const firstThought = `Somebody new. I will make a plan, look at a file, change a line, and then say what all of that was.
`;

export const laterThought = `Message {{turn}} of the same session, so the basics are known. The next useful thing is what happens when something goes wrong.
`;

export const welcome = `**Hello! It works.** I am the demo agent of acp-kit: a small program with a script, no model. The two tools were pretend, nothing on your disk was touched.

acp-kit lets you talk to coding agents from chat. I speak the Agent Client Protocol (ACP), so any agent that speaks it can take my place.

`;

export const whatYouSaw = `### What you just saw

| On your screen | In the protocol |
|---|---|
| thinking | \`agent_thought_chunk\` |
| the plan | \`plan\` |
| two tools, a diff | \`tool_call\` |
| the mood line | \`_meta\` |
| this text | \`agent_message_chunk\` |

Each of these went into a log first. Your chat reads that log, so a lost connection loses nothing.

`;

export const tryNext = `### Try next

1. Send \`ask\`. I will ask before I change the file, and wait for your answer.
2. Send \`!stop\` while I work. I stop at once.
3. Send anything again. I remember the session.
4. Pick the other model or mode, if your chat shows a menu.

Then put a real agent in my place: start me
again with these:

\`\`\`sh
--workspace ~/code/shop \\
  --agent "gemini --acp"
\`\`\`

Have fun!
`;

export const welcomeBack = `**Message {{turn}}, same session.** The relay found it by its id, so nothing had to be told twice. Model \`{{model}}\`, mode \`{{mode}}\`.

`;

export const whenThingsBreak = `### When things go wrong

| What happens | What you see |
|---|---|
| you press Stop | I end with \`cancelled\` |
| your phone drops | the text goes on later |
| I crash | a clear line, no silence |
| I ask, you wait | the question lapses |

None of this needs your help. Each step is in the log before you see it, and whoever reads it next goes on from there.

`;

export const underTheHood = `### Under the hood

I am a list of steps. This one changes its mood and says good-bye:

\`\`\`json
[
  { "kind": "status",
    "mood": "curious" },
  { "kind": "text",
    "text": "Good-bye!" }
]
\`\`\`

Save such a list to a file, and start me with \`--script FILE\`. Tests use the same engine to make me crash, stall or talk nonsense.

Send \`ask\` if you have not yet.
`;

export const planMode = `**Plan mode: I only plan.** I would read \`README.md\`, change one line of \`greeting.ts\` and tell you about it. Switch the mode back and send anything to see me do it.

`;

export const edited = `*Done: \`greeting.ts\` now greets you. (It does not exist. It is a demo.)*

`;

export const refused = `*You said no, so \`greeting.ts\` stays as it is. A real agent would now look for another way.*

`;

export const unanswered = `*Nobody answered, so \`greeting.ts\` stays as it is.*

`;

export const secondThought = `And once more, because this is the thorough model: nothing can break, the files are pretend. Go.
`;
