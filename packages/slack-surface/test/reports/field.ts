import type { Report } from "./report.ts";

const whateverFails =
  "whatever fails and whenever another process takes over, each word is read once and in its order";
const wholePieces =
  "whatever the text: no piece is empty, too long or ill-formed, and nothing is lost or moved";

/** What users of comparable relays have reported, by kind, as far as it is of Slack. */
export const field: readonly Report[] = [
  [
    "field-A-1",
    "A long turn goes on in a new message before its stream expires.",
    "a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again",
  ],
  [
    "field-A-2",
    "A stream ends in time by age and by size, with its code blocks closed and opened again.",
    "a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again",
    "2,000 chunks of 33,000 characters in 11 s take at most 30 calls, and nothing is lost",
    "a text is the same by streams and by posts",
  ],
  [
    "field-A-3",
    "Cards and plans count towards a message's size.",
    "the longest cards beside the longest text are not refused",
    "of a hundred does not fill a stream: another goes on after 45 blocks",
  ],
  [
    "field-A-4",
    "Streams and edits are rendered by the same code.",
    "a text is the same by streams and by posts",
  ],
  [
    "field-A-5",
    "An answer is delivered once, whichever way it took.",
    "when its stream has ended, its edit is too long and the answer to its post is lost",
    whateverFails,
  ],
  [
    "field-A-6",
    "A card is complete in the message that follows a closed stream.",
    "that runs on is not called failed where a stream ends, and its card comes back in the next",
  ],
  [
    "field-A-7",
    "A stream names its recipient, and something else is used where it cannot.",
    "a stream in a shared channel names its reader with the reader's own team",
    "where a stream is refused with %s, which is told",
  ],
  [
    "field-A-8",
    "All that is sent shares one budget, in which ends and questions come first.",
    "what waits goes out by what it is for, then in its order",
    "are used up the sooner the less they matter",
    "50 turns of 2,000 characters within a second (%s) meet no 429, start at most 15 streams a minute and are all told",
  ],
  [
    "field-A-9",
    "The end of an answer waits for its turn and is not lost.",
    "when the platform limits its last call for a minute",
    "the end does not wait for a step towards something older",
  ],
  [
    "field-A-10",
    "The number of edits of one turn has a bound.",
    "2,000 chunks of 33,000 characters in 11 s take at most 16 calls, and nothing is lost",
    "a text that grows is one message, edited at most once in 1.2 s",
    "whatever was called, no minute holds more calls than the platform takes",
  ],
  [
    "field-B-12",
    "A long answer is split, and one that cannot be delivered is said.",
    "whatever the text: no piece is empty, too long or ill-formed, and nothing is lost or moved",
    "a place that takes no message is told to the requester once, and nothing runs again",
  ],
  [
    "field-B-13",
    "A message that is refused is followed by one that is not.",
    "for its length leads to smaller messages",
    "of the form leads to plain text",
    "when the end of its stream is refused for its length",
  ],
  [
    "field-B-14",
    "The line that opens a code block again counts.",
    "repeats at most 32 characters of what is behind its mark",
    wholePieces,
    "long-info-string as markdown",
  ],
  [
    "field-B-15",
    "The line that closes a code block counts.",
    wholePieces,
    "fence-fills-the-budget as markdown",
  ],
  ["field-B-16", "Blocks that are refused are sent as text.", "of the form leads to plain text"],
  [
    "field-B-17",
    "A message that cannot be shown does not run its turn again.",
    "a place that takes no message is told to the requester once, and nothing runs again",
  ],
  [
    "field-C-18",
    "Lists, quotes, tables and rules survive.",
    "nested-lists as mrkdwn",
    "ordered-list-start as mrkdwn",
    "block-quote as mrkdwn",
    "tables-in-mrkdwn as mrkdwn",
    "table-cells-with-markup as mrkdwn",
    "rule as mrkdwn",
  ],
  [
    "field-C-19",
    "An answer may hold any number of tables.",
    "tables-and-prose as markdown",
    "tables-in-mrkdwn as mrkdwn",
    "long-table as markdown",
  ],
  [
    "field-C-20",
    "Links work, and nothing else becomes one.",
    "slack-style-link-in-source as mrkdwn",
    "links-at-the-border as mrkdwn",
    "unsafe-links as markdown",
    "C22: %j is no link of any scheme but the web's and mail's",
  ],
  ["field-C-21", "Emphasis in a heading is emphasis once.", "bold-in-heading as mrkdwn"],
  [
    "field-C-22",
    "Code can be copied as it is.",
    "code-white-space as markdown",
    "code-white-space as mrkdwn",
    "keeps code letter by letter, and closes every fence",
  ],
  [
    "field-C-23",
    "A question that was answered still shows its command whole.",
    "%j keeps what was asked, says how, and has no button",
  ],
  [
    "field-D-24",
    "A message that is delivered three times runs once.",
    "a message of which the platform tells again and again runs once, also after a restart",
    "two processes make one turn of a message that comes to both",
  ],
  [
    "field-D-26",
    "A post whose answer was lost is not posted blindly again.",
    "a post whose answer is lost is made twice by Slack's client, and once by ours",
    "of a post is looked up, and nothing is posted twice",
    "of a post that did not happen ends in a post",
  ],
  [
    "field-D-29",
    "An edit that changes no word changes nothing.",
    "an edit that changes no word changes nothing",
    "an edit that mentions the bot for the first time is its message, an unfurled link is nothing",
  ],
  [
    "field-E-31",
    "A connection that is only half there is noticed.",
    "30 s without a ping are the end of a connection, and a ping puts it off",
  ],
  [
    "field-E-32",
    "A second connection of the same app is noticed.",
    "a second process of the same app is noticed by those that are connected after it",
    "disposing ends all connections, and opens no other",
  ],
  [
    "field-E-33",
    "A transport that fails does not end the process.",
    "a reconnect that fails ends the process of Slack's client, and never ours",
    "when it meets: %s",
  ],
  [
    "field-K-70",
    "Bots are not answered unless a rule names them.",
    "another bot is heard where a rule has its id, and not for ever",
    "who posts through another app is that person where a rule names them, and a bot otherwise",
  ],
  [
    "field-M-76",
    "A question finds the person who may answer it.",
    "an approver who is named hears of a question by a message of their own, with a link",
    "a question names its requester, who is notified, and shows what is really run",
  ],
];
