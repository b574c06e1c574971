/** What one word of the journal means, and what an operator can change. */
export type Advice = { readonly meaning: string; readonly change: string };

const nothing = "Nothing: that is how it should be.";

/** By the reason of what came in. */
const byReason: Readonly<Record<string, Advice>> = {
  "bad-key": {
    meaning: "The request did not carry one of the bot's access keys.",
    change:
      "Compare the key on the platform's page of the bot with accessKeys; while a key is being changed, list both.",
  },
  malformed: {
    meaning: "The request was not what the platform sends.",
    change: "See whether a proxy changes bodies, and whether anybody else calls the bot's address.",
  },
  "too-large": {
    meaning: "The request was larger than the relay takes.",
    change: "The person has to send less text or smaller files.",
  },
  "not-allowed": {
    meaning: "No rule of access admits this person to this bot.",
    change:
      'Let them in by "allow" with the id that the refusal tells them, or by a rule of access.',
  },
  "no-rule": {
    meaning: "The person was taken out of the rules of access after the message came.",
    change: 'Let them in by "allow" with their id, or by a rule of access.',
  },
  workspace: {
    meaning: "The project of the conversation is not open to this person.",
    change: "Name it in the person's rule of access, or choose another one there (!project).",
  },
  paused: { meaning: "The relay is paused.", change: 'Run "resume".' },
  restarting: {
    meaning: "This process was stopping.",
    change: "Nothing: sent again, the message reaches the next process.",
  },
  "empty-message": { meaning: "The message had neither text nor a file.", change: nothing },
  "queue-full": {
    meaning: "Too many messages waited in the conversation already.",
    change: "Let some be answered, or stop the turn that runs.",
  },
  "not-yours": {
    meaning: "Somebody wanted to decide about another person's turn.",
    change: 'Give them the role "approver" if they should.',
  },
  "command-not-open": {
    meaning: "A command asked for something that is not open to this person.",
    change:
      "Extend the person's rule of access (role, models, modes, agents, workspaces) if it should be.",
  },
  redrive: {
    meaning: "The platform sent the same request again; it was shown the turn that there was.",
    change: "If it happens often, a proxy in front of the relay cuts long answers.",
  },
  "told-again": {
    meaning:
      "The platform told once more of what was known already, as it does of a mention in a channel.",
    change: nothing,
  },
  prompt: { meaning: "It became a turn of the agent.", change: nothing },
  "no-mention": {
    meaning:
      "The message did not mention the bot, and its author had not done so in that thread within the last 7 days.",
    change: "The person has to mention the bot.",
  },
  "feature-off": {
    meaning: "It came from where the bot does not take part by its features.",
    change:
      "Name the feature in the bot's features, and update its app, if it should. A mention comes twice, and only one of the two says from where.",
  },
  "to-somebody-else": {
    meaning: "The message opened with somebody else's mention.",
    change: "The person has to mention the bot.",
  },
  "unknown-person": {
    meaning:
      "The platform did not say who the person is, so it was not known whether they are a guest.",
    change:
      "See that the app has the scope users:read; the platform sends the message again meanwhile.",
  },
  "bot-loop": {
    meaning: "Another bot had written several times in a row.",
    change: "A person has to say something there.",
  },
  bot: {
    meaning: "The message came from another bot, or from the platform itself.",
    change: "Add the bot's id to a rule of access if it should be heard.",
  },
  "foreign-app": {
    meaning: "The event was meant for another app.",
    change: "See that the tokens, and the address for requests, belong to one app.",
  },
  "foreign-team": {
    meaning: "The event came from another workspace than the bot's.",
    change: "Install the app where it is to be used, and give that bot its own token.",
  },
  missed: {
    meaning:
      "The message came while the relay did not run, could not be reached or could not save anything, and was found afterwards.",
    change: nothing,
  },
  overtaken: {
    meaning: "The message was found long after it came, and its author had written again by then.",
    change: "Nothing: they were told to send it again if it still matters.",
  },
  "missed-command": {
    meaning: "The message was found long after it came, and was a command or an aside.",
    change: "The person has to send it again if it still matters.",
  },
  "missed-too-many": {
    meaning:
      "The message was found long after it came, together with newer ones in more conversations than are taken up at once.",
    change: "The person has to send it again if it still matters.",
  },
  failed: {
    meaning: "The relay itself failed while it answered.",
    change: "Look at the failure with the reference that the chat shows.",
  },
};

/** By the code of a failure; numbers are the agent's own. */
const byCode: Readonly<Record<string, Advice>> = {
  agent_exited: {
    meaning: "The agent's process ended in the middle of its work.",
    change: "Read its stderr below; run its command by hand with the same environment.",
  },
  spawn_failed: {
    meaning: "The agent's program could not be started.",
    change: "Check the command of the agent, and that the relay's user may run it.",
  },
  initialize_failed: {
    meaning: "The agent started and did not come up as an ACP agent.",
    change: "Check that its command starts it in ACP mode, and its version.",
  },
  unavailable: {
    meaning: "The agent keeps failing to start, and the relay waits before the next attempt.",
    change: "Look at the failures before this one.",
  },
  timeout: {
    meaning: "The agent did not answer in time.",
    change: "See whether it waits for a download, a login or the network.",
  },
  protocol: {
    meaning: "The agent answered something that ACP does not know.",
    change: "Update the agent or the relay.",
  },
  workspace: {
    meaning: "The directory of the conversation cannot be used.",
    change: "See that it is there, and that the relay's user may write to it.",
  },
  unwritable: {
    meaning: "The relay's database could not be written.",
    change: "Make room on the disk of the state directory, and see that it is not read-only.",
  },
  corrupt: { meaning: "The relay's database is damaged.", change: "Restore a backup." },
  interrupted: {
    meaning: "The relay's process died in the middle of the turn.",
    change:
      "Look at the log from before its next start, and at the system's for a kill (out of memory).",
  },
  "-32000": {
    meaning: "The agent wants somebody to log in.",
    change: "Log the agent in, as the user that it runs as.",
  },
  "-32601": {
    meaning: "The agent does not know what the relay asked for.",
    change: "Update the agent.",
  },
};

export function adviceForReason(reason: string): Advice | undefined {
  if (Object.hasOwn(byReason, reason)) return byReason[reason];
  if (reason.endsWith("-not-open")) {
    return {
      meaning: `A ${reason.slice(0, -"-not-open".length)} is not open to this person; their turn ran without it.`,
      change:
        "Extend the person's rule of access (models, modes, agents, commands) if it should be.",
    };
  }
  if (!/^(?:turns|minutes|tokens|cost|concurrent)[A-Z]/.test(reason)) return undefined;
  return {
    meaning: `The limit ${reason} was reached.`,
    change: `Wait until it begins anew, or raise limits.${reason}.`,
  };
}

export function adviceForCode(code: string): Advice | undefined {
  if (Object.hasOwn(byCode, code)) return byCode[code];
  if (!/^-?\d+$/.test(code)) return undefined;
  return {
    meaning: "The agent answered with an error of its own.",
    change: "Read what it says below; its documentation knows the code.",
  };
}
