import type { Report } from "./report.ts";

/** Public reports about Slack's own libraries and about bots on them, in the order of the list of 22. */
export const platform: readonly Report[] = [
  [
    "slack-7-1",
    "A reconnect that is refused does not end the process.",
    "a reconnect that fails ends the process of Slack's client, and never ours",
    "a token that is refused is a state of health, and is tried again",
  ],
  [
    "slack-7-2",
    "A platform that fails to give an address is asked again, for ever and at most 30 s later.",
    "when the platform gives no address",
    "for ever, and at most 30 s later",
  ],
  [
    "slack-7-3",
    "A connection that is sent away before it is greeted is replaced.",
    "when it meets: %s",
    "when one is not greeted within 15 s",
  ],
  [
    "slack-7-4",
    "Too many connections end in patience, and in a word about whoever else has some.",
    "too many connections are no stampede: ten attempts take a minute and a half, and then one is there",
    "a second process of the same app is noticed by those that are connected after it",
  ],
  [
    "slack-7-5",
    "A repeat of a message is taken as the message: it may be the only one that came.",
    "a message that came while nobody was there runs when the platform repeats it, once",
    "that was not is asked for again after 2.9 s, and brought again",
    "that was acknowledged is not brought again, however often it comes",
  ],
  [
    "slack-7-6",
    "A stream that has expired loses nothing: what it did not show comes in another message.",
    "a stream that the platform has ended loses nothing, and nothing is told twice",
    "whatever fails and whenever another process takes over, each word is read once and in its order",
  ],
  [
    "slack-7-7",
    "A stream ends by its age, however busy it is.",
    "a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again",
  ],
  [
    "slack-7-8",
    "A long turn goes on in another message, by age and by length.",
    "a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again",
    "2,000 chunks of 33,000 characters in 11 s take at most 30 calls, and nothing is lost",
    "300 silent minutes of one tool are at most 3 messages, and no call while nothing comes",
  ],
  [
    "slack-7-9",
    "An answer is told once, though its stream is over, its edit too long and its post in doubt.",
    "when its stream has ended, its edit is too long and the answer to its post is lost",
  ],
  [
    "slack-7-10",
    "Where a stream cannot have its reader, the answer comes another way.",
    "a stream in a shared channel names its reader with the reader's own team",
    "where a stream is refused with %s, which is told",
  ],
  [
    "slack-7-11",
    "In a channel everybody sees an answer grow.",
    "in a channel everybody sees an answer grow, and in a direct conversation too",
  ],
  [
    "slack-7-12",
    "The platform's own Stop ends the turn at the agent, and what it shows of the thread.",
    "in %s the platform's own Stop ends the turn at the agent, and the thread shows none that runs",
    "the platform's own Stop ends the turn of its thread, for whoever may",
  ],
  [
    "slack-7-14",
    "An answer that is too long for a call is cut, and its turn is no failure.",
    "when the end of its stream is refused for its length",
    "for its length leads to smaller messages",
  ],
  [
    "slack-7-15",
    "A stream that fills up is followed by another, in which what runs is shown again.",
    "of a hundred does not fill a stream: another goes on after 45 blocks",
    "that runs on is not called failed where a stream ends, and its card comes back in the next",
    "2,000 chunks of 33,000 characters in 11 s take at most 30 calls, and nothing is lost",
  ],
  [
    "slack-7-16",
    "A limit is waited out within the call's own time, and holds up nothing else.",
    "a call that is limited for longer than it is worth ends at its deadline",
    "what is limited all the same waits as long as the platform says, and is made once",
    "the limit of one method holds up no other",
  ],
  [
    "slack-7-17",
    "Bots do not keep each other talking.",
    "another bot is heard where a rule has its id, and not for ever",
    "nothing that the app says or changes itself starts a turn, whoever it looks like",
  ],
  [
    "slack-7-18",
    "Every click is answered, after a restart and of whoever may not.",
    "a click is always answered: a stranger's, and the first one after a restart",
    "C16 a click answers once, for its requester; a late one and a stranger's are told so alone",
  ],
  [
    "slack-7-19",
    "A question that was answered has no buttons, whatever runs then.",
    "the buttons of a question are gone with the first click, while its tool still runs",
  ],
  [
    "slack-7-21",
    "No message needs another event before it.",
    "an event that nobody knows is acknowledged, and no message needs one before it",
    "direct messages need no mention (agent view: $hasAgentView)",
  ],
  [
    "slack-7-22",
    "A table is a table, and not its source.",
    "20,000 characters with a long fence and a table of 150 rows arrive complete and well-formed on the %s",
    "a table that is cut repeats its head, and no row is cut",
    "tables-and-prose as markdown",
    "tables-in-mrkdwn as mrkdwn",
  ],
];
