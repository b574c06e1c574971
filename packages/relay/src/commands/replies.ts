import type { Grant, PermissionPolicy } from "@acp-kit/router";
import type { ChangedFiles, Used } from "./command-context.ts";
import { type Command, type CommandName, commandOf, formatUsage } from "./command-table.ts";
import type { Choosable } from "./match-choice.ts";
import { formatCode, formatCount, formatPlain, formatSpan, plural } from "./words.ts";

/** What can be chosen, in words: `model`, `mode`, `agent`, `project`. */
export type Kind = "model" | "mode" | "agent" | "project";

/** Choices that a list shows. */
const MAX_LISTED = 40;
/** Choices among which a person is asked to decide. */
const MAX_AMBIGUOUS = 8;
const MAX_FILES = 30;
/** Longest difference that a reply shows, and that it shows unasked, in characters. */
const MAX_PATCH_CHARS = 6_000;
const MAX_SHORT_PATCH_CHARS = 1_500;

const list = (lines: readonly string[]) => lines.join("\n");
const bullets = (lines: readonly string[]) => list(lines.map((line) => `- ${line}`));

/** The id, and the name where it says more. */
function formatChoice({ id, name }: Choosable): string {
  return name === id || name === "" ? formatCode(id) : `${formatCode(id)} · ${formatPlain(name)}`;
}

function formatMore(left: number, how: string): string {
  return left > 0 ? `\n\n…and ${left} more. ${how}` : "";
}

const behind: Readonly<Record<Kind, string>> = {
  model: "It holds from your next message.",
  mode: "It holds from your next message.",
  agent: "It answers your next message, in a session of its own.",
  project: "Your next message starts a new session there.",
};

const policyWords: Readonly<Record<PermissionPolicy, string>> = {
  ask: "a person is asked",
  allow: "everything is allowed",
  deny: "everything is refused",
  "read-only": "reading is allowed, the rest is refused",
};

/** What the relay answers to commands: Markdown that is narrow enough for a phone. Pure. */
export const replies = {
  help: (commands: readonly Command[], agentCommands: readonly string[]) =>
    list([
      "**Commands**",
      "",
      bullets(commands.map((one) => `\`${formatUsage(one)}\`: ${one.does}`)),
      ...(agentCommands.length > 0
        ? [
            "",
            "**The agent's own**",
            "",
            bullets(agentCommands.map((one) => formatCode(`!${one}`))),
          ]
        : []),
    ]),
  unknown: (verb: string, nearest: CommandName | undefined) =>
    nearest === undefined
      ? `There is no command ${formatCode(`!${verb}`)}. \`!help\` lists them. Nothing was sent to the agent.`
      : `There is no command ${formatCode(`!${verb}`)}. Did you mean \`!${nearest}\`? Nothing was sent to the agent.`,
  misused: (name: CommandName) =>
    `\`!${name}\` takes nothing behind it. Nothing was done, and nothing was sent to the agent.`,
  usage: (name: CommandName) => `Write \`${formatUsage(commandOf(name))}\`.`,
  notAllowed: (name: CommandName) => `\`!${name}\` is not open to you here.`,
  notAvailable: (name: CommandName) => `\`!${name}\` is not available in this relay.`,
  notYours: () => "That belongs to somebody else: only they, or an approver, can do this.",
  failed: (reference: string, why = "That did not work.") =>
    `${why.replace(/\.$/, "")} (ref ${reference}).`,

  choices: (
    kind: Kind,
    choices: readonly Choosable[],
    current: string | undefined,
    wanted: string | undefined,
  ) => {
    if (choices.length === 0) {
      return `The agent has not said which ${kind}s it has. It may after your next message; until then, \`!${kind} name\` is tried as it is.`;
    }
    const shown = choices.slice(0, MAX_LISTED).map((one) => {
      const isNow = one.id === current;
      const isNext = wanted !== undefined && one.id === wanted && !isNow;
      return `${formatChoice(one)}${isNow ? " ← now" : isNext ? " ← from your next message" : ""}`;
    });
    const title = `**${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}s** (${choices.length})`;
    const more = formatMore(choices.length - shown.length, `\`!${kind} part\` narrows the list.`);
    return `${title}\n\n${bullets(shown)}${more}\n\n\`!${kind} name\` chooses one; a part of the name will do.`;
  },
  chosen: (kind: Kind, typed: string, choice: Choosable, said: string | undefined) => {
    const isWhole = typed === choice.id;
    const found = `${formatCode(typed)} → ${formatChoice(choice)}.`;
    if (said !== undefined) return isWhole ? said : `${found} ${said}`;
    return `${isWhole ? `The ${kind} is ${formatCode(choice.id)}.` : found} ${behind[kind]}`;
  },
  chosenUnseen: (kind: Kind, typed: string) =>
    `${formatCode(typed)} will be tried as the ${kind} with your next message: the agent has not said yet which it has.`,
  chosenDefault: (kind: Kind) => `The ${kind} is the default again. ${behind[kind]}`,
  ambiguous: (kind: Kind, typed: string, choices: readonly Choosable[]) => {
    const shown = choices.slice(0, MAX_AMBIGUOUS).map(formatChoice);
    const more = formatMore(choices.length - shown.length, "Write more of the name.");
    return `${formatCode(typed)} fits ${choices.length} ${kind}s:\n\n${bullets(shown)}${more}\n\nNothing was changed.`;
  },
  noMatch: (kind: Kind, typed: string) =>
    `No ${kind} is like ${formatCode(typed)}. \`!${kind}\` lists them.`,
  notOpen: (kind: Kind, id: string) => `The ${kind} ${formatCode(id)} is not open to you here.`,

  fresh: () => "Afresh: your next message starts a new session. What you chose stays.",
  freshAlready: () => "Nothing was said here yet, so there is nothing to forget.",
  nothingToRetry: () => "There is no message to run again.",
  nothingToShow: () => "There is no answer yet.",
  stillRuns: () => "That still runs. `.` shows how far it is, `!stop` ends it.",

  queue: (running: string | undefined, waiting: readonly string[]) => {
    if (running === undefined && waiting.length === 0) return "Nothing runs, and nothing waits.";
    const now = running === undefined ? "Nothing runs." : `Now: *${running}*`;
    if (waiting.length === 0) return `${now}\n\nNothing waits behind it.`;
    const lines = waiting.map((label, at) => `${at + 1}. *${label}*`);
    return `${now}\n\n${list(lines)}\n\n\`!queue drop 1\` drops one of them.`;
  },
  dropped: (count: number) => `Dropped: ${plural(count, "message")}.`,
  noSuchEntry: (name: CommandName, number: string) =>
    `There is no ${formatCode(number)} in the list. \`!${name}\` shows it.`,

  grants: (grants: readonly Pick<Grant, "subject" | "toolKind" | "agent">[]) => {
    if (grants.length === 0) return "You have allowed nothing for good.";
    const lines = grants.map(
      ({ subject, toolKind }, at) => `${at + 1}. ${formatCode(subject)} (${formatPlain(toolKind)})`,
    );
    return `**Allowed for good**\n\n${list(lines)}\n\n\`!revoke 1\` takes one back, \`!revoke all\` all of them.`;
  },
  revoked: (count: number) =>
    `Taken back: ${plural(count, "permission")}. You will be asked again.`,

  diff: ({ files, patch = "", isCut }: ChangedFiles, path: string | undefined) => {
    if (files.length === 0) {
      return path === undefined
        ? "Nothing has changed."
        : `Nothing has changed in ${formatCode(path)}. \`!diff\` lists what has.`;
    }
    const isShown = patch !== "" && (path !== undefined || patch.length <= MAX_SHORT_PATCH_CHARS);
    return [
      formatChanges(files),
      isShown && fenced(patch.slice(0, MAX_PATCH_CHARS)),
      isShown && (isCut || patch.length > MAX_PATCH_CHARS) && "There is more.",
      !isShown &&
        (path === undefined ? "`!diff path` shows one file." : "Its contents are not shown."),
    ]
      .filter(Boolean)
      .join("\n\n");
  },
  files: ({ files, isCut }: ChangedFiles) =>
    files.length === 0
      ? "The last turn changed no file."
      : `${formatChanges(files)}${isCut ? "\n\nThere is more." : ""}\n\n\`!diff path\` shows a change, \`!get path\` sends a file.`,
  noCheckout: () => "This project is no git checkout, so nobody knows what has changed.",
  notKnown: () => "What the last turn changed is not known.",
  noFiles: () => "Nothing was said here yet, so there are no files.",

  cost: ({ turns, minutes, tokens, cost }: Used) =>
    turns === 0
      ? "You have used nothing in the last 24 hours."
      : list([
          "**Used in the last 24 hours**",
          "",
          bullets([
            plural(turns, "turn"),
            plural(Math.round(minutes), "minute"),
            ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
            ...(cost > 0 ? [`cost: ${cost.toFixed(2)}`] : []),
          ]),
        ]),

  policy: (policy: PermissionPolicy, forMs: number | undefined) => {
    const until = forMs === undefined ? "until `!policy default`" : `for ${formatSpan(forMs)} more`;
    return `When the agent asks, ${policyWords[policy]} (\`${policy}\`): in this chat, ${until}.`;
  },
  noPolicy: () => "When the agent asks, what is configured holds.",
  paused: () => "Paused: nobody can start anything. What runs goes on. `!pause off` ends it.",
  resumed: () => "No longer paused.",
  notPaused: () => "It was not paused.",

  loginMethods: (methods: readonly Choosable[]) =>
    methods.length === 0
      ? "The agent offers no login that works from a chat."
      : `**Logins**\n\n${bullets(methods.map(formatChoice))}\n\n\`!login name\` starts one.`,
  loginOpen: (url: string, instructions: string, waitMs: number) =>
    [
      "Open this page and log in:",
      url,
      ...(instructions === "" ? [] : [formatPlain(instructions, 500)]),
      "Then send me the address of the page that you land on, even if it does not load, alone in a message. It goes to the agent's login only, not into the conversation.",
      `I wait ${formatSpan(waitMs)}. \`!login cancel\` gives it up.`,
    ].join("\n\n"),
  loginDone: (method: string) => `Logged in (${formatCode(method)}).`,
  loginFailed: (method: string, why: string) =>
    `The login failed${why === "" ? "" : `: ${formatPlain(why, 200)}`}. \`!login ${formatPlain(method)}\` starts again.`,
  loginHint: (methods: readonly Choosable[]) =>
    methods.length === 0
      ? "The agent is not logged in, and offers no login that works from a chat. Its operator has to log it in where it runs, or to give it a key."
      : `The agent is not logged in. Its operator can do that here:\n\n${bullets(methods.map(({ id, name }) => `\`!login ${formatPlain(id)}\`: ${formatPlain(name)}`))}`,
  loginStrange: () => "The agent's answer to the login is not one that works from a chat.",
  loginCancelled: () => "The login was given up.",
  noLogin: () => "No login is under way.",
  loginElsewhere: () => "Somebody else's login is under way in this chat. Wait until it has ended.",
  loginNotYours: () =>
    "Somebody else's login is under way in this chat, and only they can finish it. What you sent was not passed on.",
  loginLapsed: () =>
    "That login is no longer waiting. What you sent was not passed on; `!login` starts again.",
  loginUsed: () => "That was used already, and was not passed on.",
} as const;

function formatChanges(files: ChangedFiles["files"]): string {
  const sum = (pick: (file: ChangedFiles["files"][number]) => number) =>
    files.reduce((total, file) => total + pick(file), 0);
  const title = `**${plural(files.length, "file")} changed** +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
  const shown = files
    .slice(0, MAX_FILES)
    .map(({ path, added, removed }) => `${formatCode(path)} +${added} −${removed}`);
  return `${title}\n\n${bullets(shown)}${formatMore(files.length - shown.length, "")}`.trimEnd();
}

/** A fence that nothing in the text can close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${text.trimEnd()}\n${fence}`;
}
