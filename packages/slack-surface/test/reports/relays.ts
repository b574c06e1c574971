import type { Report } from "./report.ts";

/** What once broke in a relay for Slack, and in a sibling of it on another platform. */
export const relays: readonly Report[] = [
  [
    "slack-4.1-1",
    "A slow edit of the placeholder never lands on the answer.",
    "an edit that is slow never lands on what came after it",
    "calls of one key never overtake each other",
  ],
  [
    "slack-4.1-2",
    "A cut never parts a character.",
    "not within a letter of many parts",
    "long-emoji as markdown",
    "long-emoji as mrkdwn",
  ],
  ["slack-4.1-5", "A plan without entries shows nothing.", "a plan without entries shows nothing"],
  [
    "slack-4.1-13",
    "Whether the bot was addressed is known before its name is taken out.",
    "loses the mention that it opens with, and no other",
    "that only writes like a mention is none: it is decoded after it was looked at",
  ],
  [
    "slack-4.1-14",
    "Who addresses the bot gets an answer.",
    "a mention in a channel becomes a turn, once for both events that tell of it",
    "C11 guests and partners are refused, once an hour and with their id; a rule that has their id lets them in",
  ],
  [
    "slack-4.1-15",
    "The bot does not answer itself.",
    "nothing that the app says or changes itself starts a turn, whoever it looks like",
  ],
  [
    "slack-4.1-16",
    "Two deliveries of one message are one message.",
    "a mention in a channel becomes a turn, once for both events that tell of it",
    "two processes make one turn of a message that comes to both",
  ],
  [
    "slack-4.1-17",
    "A person who posts through an app is that person.",
    "who posts through another app is that person where a rule names them, and a bot otherwise",
  ],
  [
    "slack-4.1-18",
    "A message that comes twice is counted once.",
    "another bot is heard where a rule has its id, and not for ever",
  ],
  [
    "slack-4.1-19",
    "What is looked for in a message is looked for as it arrives.",
    "that only writes like a mention is none: it is decoded after it was looked at",
    "$id is read as it was meant",
  ],
  [
    "slack-4.1-20",
    "The bot's own edits start nothing.",
    "nothing that the app says or changes itself starts a turn, whoever it looks like",
    "by the bot itself is its own, though the event names nobody",
  ],
  [
    "slack-4.1-21",
    "The manifest has what private channels need.",
    "%s bring the right to read them, and the event of what is said there",
  ],
  [
    "slack-4.1-24",
    "The status line stands under a finished answer, and under nothing else.",
    "not an answer that goes on, nor one without a word",
  ],
  [
    "slack-4.1-25",
    "What stands under an answer survives its next edit.",
    "how a turn ended stands under it once, though its message takes no more edits",
  ],
  [
    "slack-4.1-26",
    "An envelope without content is ignored.",
    "whatever comes is read without an error",
  ],
  [
    "slack-4.1-27",
    "A ping of everybody is harmless in every form.",
    "%j is nothing but text, and looks as it was written",
    "in %s, however it is cut",
    "nobody is mentioned by anything that an agent wrote",
    "broadcast-labelled as markdown",
    "broadcast-split-in-stream as markdown",
  ],
  [
    "slack-4.1-28",
    "Of a thread the newest messages are read.",
    "of a long thread the agent is told the newest messages",
  ],
  [
    "slack-4.1-29",
    "Messages of a time of absence become one turn.",
    "what was said while nobody heard is found, answered once with its age, and one turn for each thread",
  ],
  [
    "slack-4.1-30",
    "Catching up works without a place to show it.",
    "what is found and what the platform repeats is one, also for two processes",
  ],
  [
    "slack-4.4-1",
    "A message that is cut in a code block has room for the line that closes it.",
    "whatever the text: no piece is empty, too long or ill-formed, and nothing is lost or moved",
    "long-fence as markdown",
    "long-fence as mrkdwn",
  ],
  [
    "slack-4.4-2",
    "A message is posted once, however often it is flushed.",
    "a text that grows is one message, edited at most once in 1.2 s",
    "a text that comes in many pieces at once starts one stream, and is told once",
  ],
  [
    "slack-4.4-3",
    "What stands under an answer is there once, also when the answer is posted anew.",
    "how a turn ended stands under it once, though its message takes no more edits",
  ],
  [
    "slack-4.4-4",
    "A turn without a word leaves no placeholder.",
    "a placeholder without any text is gone at the end",
  ],
  [
    "slack-4.4-5",
    "A message that cannot be deleted is not posted again and again.",
    "a message that cannot be deleted is not posted again and again",
  ],
];
