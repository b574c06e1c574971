import { randomUUID } from "node:crypto";
import { createReference, type Role } from "@acp-kit/router";
import { RelayError } from "../errors.ts";
import { hashId } from "../log.ts";
import { chooseAgent, chooseProject, chooseSetting } from "./choose.ts";
import { isAvailable, isHelpful } from "./command-availability.ts";
import {
  type CommandCall,
  type CommandHost,
  type CommandMessage,
  type CommandOutcome,
  refuse,
  reply,
} from "./command-context.ts";
import { COMMANDS, type CommandName, commandOf } from "./command-table.ts";
import {
  manageGrants,
  manageQueue,
  runAgain,
  showAgain,
  startAfresh,
} from "./conversation-commands.ts";
import { sendFile, showDiff, showFiles } from "./file-commands.ts";
import { KeptOutcomes } from "./kept-outcomes.ts";
import type { PendingLogin } from "./login-book.ts";
import { type ParsedCommand, parseCommand } from "./parse-command.ts";
import { findRedirect, parseLoginInput, parseSecretWords } from "./parse-login-input.ts";
import { pauseRelay, showCost } from "./people-commands.ts";
import { replies } from "./replies.ts";
import { finishLogin, manageLogin } from "./run-login.ts";
import { setPolicy } from "./set-policy.ts";
import { showStatus } from "./show-status.ts";

/** A message for the relay, before anything is done about it. */
export type PendingCommand = {
  /** A word of a fixed set, for a journal: the command's name, `agent-command`, `login-input`, `unknown` or `misused`. */
  readonly name: string;
  /** It holds a secret: its text is not to be kept, shown, logged or sent to anybody. */
  readonly isSecret: boolean;
  /** It changes something that is there for all of the conversation; what it does not is an answer to one person. */
  readonly isChange: boolean;
  /** Does what the message says, once: the same message again gets the same answer. Never rejects. */
  run(): Promise<CommandOutcome>;
};

/** The commands of the chat, for whatever surface. */
export interface ChatCommands {
  /**
   * Ask this before anything of a message is kept. `undefined`: it is not for the relay, or it is for the surface
   * itself: see {@link parseCommand} for those.
   */
  recognise(message: CommandMessage): PendingCommand | undefined;
  /** The commands that anybody who may talk has here, in the order of the help. */
  readonly names: readonly CommandName[];
  /** Whether a message of a transcript holds what was pasted for a login: it is to be left out, as if it was never there. */
  isSecret(text: string): boolean;
}

type Run = (call: CommandCall) => CommandOutcome | Promise<CommandOutcome>;
type RelayCommand = Exclude<CommandName, "stop" | "continue" | "yes" | "no">;

const ranks: Readonly<Record<Role, number>> = { user: 0, approver: 1, operator: 2 };

/** Commands that are carried out here, over whatever the host has. */
export function createChatCommands(host: CommandHost): ChatCommands {
  const kept = new KeptOutcomes();
  const runs: Readonly<Record<RelayCommand, Run>> = {
    help: ({ message }) => showHelp(message),
    status: showStatus,
    model: (call) => chooseSetting("model", call),
    mode: (call) => chooseSetting("mode", call),
    agent: chooseAgent,
    project: chooseProject,
    new: startAfresh,
    retry: runAgain,
    last: showAgain,
    queue: manageQueue,
    revoke: manageGrants,
    diff: showDiff,
    files: showFiles,
    get: sendFile,
    cost: showCost,
    login: manageLogin,
    policy: setPolicy,
    pause: pauseRelay,
    // A code is taken before anybody is asked whether they may talk; what comes here is none.
    pair: () => reply(replies.usage("pair")),
  };

  async function showHelp(message: CommandMessage): Promise<CommandOutcome> {
    const { conversation, user } = message;
    const { commands } = await host.router.describe(conversation, user);
    const allowed = host.allowedCommands?.(conversation, user) ?? [];
    const offered = commands.map((name) => name.replace(/^\//, ""));
    const shown = COMMANDS.filter(
      ({ name }) => isOpen(message, name) && isHelpful(host, message, name),
    );
    return reply(
      replies.help(
        shown,
        allowed.filter((name) => offered.includes(name)),
      ),
    );
  }

  function isOpen({ role }: Pick<CommandMessage, "role">, name: CommandName): boolean {
    return ranks[role] >= ranks[commandOf(name).role];
  }

  async function carryOut(
    message: CommandMessage,
    parsed: ParsedCommand,
    agentCommand: string | undefined,
  ): Promise<CommandOutcome> {
    if (agentCommand !== undefined) return passOn(message, parsed, agentCommand);
    if (parsed.kind === "unknown") return reply(replies.unknown(parsed.verb, parsed.nearest));
    if (parsed.kind === "misused") return reply(replies.misused(parsed.name));
    const { name } = parsed;
    if (!isOpen(message, name)) return refuse(replies.notAllowed(name));
    if (!isAvailable(host, name)) return reply(replies.notAvailable(name));
    const key = `command:${message.key || randomUUID()}`;
    return runs[name as RelayCommand]({ host, message, argument: parsed.argument, key });
  }

  /** A command of the agent's, under its own sigil. The router looks again whether the agent has it. */
  async function passOn(
    { conversation, user, query }: CommandMessage,
    parsed: ParsedCommand,
    name: string,
  ): Promise<CommandOutcome> {
    const { commands } = await host.router.describe(conversation, user);
    const isOffered = commands.some((one) => one.replace(/^\//, "") === name);
    if (commands.length > 0 && !isOffered) return reply(replies.unknown(name, undefined));
    const words = parsed.kind === "unknown" ? parsed.text.replace(/^\S+/, "") : "";
    const attachments = query.findLast(({ role }) => role === "user")?.attachments ?? [];
    return { kind: "prompt", text: `/${name}${words}`, attachments };
  }

  async function safely(
    message: CommandMessage,
    run: () => Promise<CommandOutcome>,
  ): Promise<CommandOutcome> {
    try {
      return await run();
    } catch (error) {
      const ref = createReference();
      const { conversation } = message;
      if (host.journal) host.journal.fail({ ref, conversation, what: "command", error });
      else
        host.log.error({ ref, conversation: hashId(conversation), err: error }, "a command failed");
      const why = error instanceof RelayError ? error.chatText : undefined;
      return reply(replies.failed(ref, why));
    }
  }

  function takeLogin(message: CommandMessage): PendingCommand | undefined {
    const { conversation, user, text, at } = message;
    const { logins } = host;
    const secretly = (run: () => Promise<CommandOutcome>): PendingCommand => ({
      name: "login-input",
      isSecret: true,
      isChange: false,
      run: () => safely(message, () => kept.once(message, run)),
    });
    if (isSecret(text)) return secretly(async () => reply(replies.loginUsed()));
    const here = logins.pending(conversation, at);
    const pending = here?.user === user ? here : logins.pendingOf(user, at);
    const secret = pending && findSecret(text, pending, conversation);
    if (!pending || secret === undefined) {
      const theirs = here && here.user !== user ? findRedirect(text, here.redirect) : undefined;
      if (theirs === undefined) return undefined;
      logins.remember(theirs);
      return secretly(async () => refuse(replies.loginNotYours()));
    }
    // Before anything else happens: whatever becomes of the login, this is never used for anything again.
    logins.remember(secret);
    logins.end(pending.conversation);
    if (pending.expiresAt <= at) return secretly(async () => reply(replies.loginLapsed()));
    const outcome = finishLogin(host, message, pending, secret);
    return secretly(() => outcome);
  }

  function isSecret(text: string): boolean {
    return parseSecretWords(text).some((word) => host.logins.isSecret(word));
  }

  return {
    names: COMMANDS.map(({ name }) => name).filter(
      (name) => isOpen({ role: "user" }, name) && isHelpful(host, { role: "user" }, name),
    ),
    isSecret,
    recognise(message) {
      const parsed = parseCommand(message.text);
      const agentCommand = parsed && agentCommandOf(host, message, parsed);
      if (parsed === undefined || (parsed.kind === "unknown" && agentCommand === undefined)) {
        const login = takeLogin(message);
        if (login) return login;
      }
      if (parsed === undefined) return undefined;
      if (parsed.kind === "unknown" && agentCommand === undefined && !parsed.isOurs) {
        return undefined;
      }
      const command = parsed.kind === "unknown" ? undefined : commandOf(parsed.name);
      if (parsed.kind === "command" && command?.by === "surface") return undefined;
      const run = () => carryOut(message, parsed, agentCommand);
      // What only lists is told anew.
      const isChange = command?.changes === true && (command.takes === "" || hasArgument(parsed));
      const keep = () => (isChange ? kept.once(message, run) : run());
      const name = agentCommand === undefined ? nameOf(parsed) : "agent-command";
      return { name, isSecret: false, isChange, run: () => safely(message, keep) };
    },
  };
}

function nameOf(parsed: ParsedCommand): string {
  return parsed.kind === "command" ? parsed.name : parsed.kind;
}

/**
 * What a message holds for a login. In another conversation than that of the login, where people find themselves who
 * begin a new one, only the very address counts that the login leads to.
 */
function findSecret(
  text: string,
  { redirect, conversation: begun }: PendingLogin,
  conversation: string,
): string | undefined {
  if (begun === conversation) return parseLoginInput(text, redirect);
  return findRedirect(text, redirect);
}

function hasArgument(parsed: ParsedCommand): boolean {
  return parsed.kind === "command" && parsed.argument !== "";
}

/** The agent's command that a message calls, in the spelling in which it is allowed. */
function agentCommandOf(
  { allowedCommands }: CommandHost,
  { conversation, user }: CommandMessage,
  parsed: ParsedCommand,
): string | undefined {
  if (parsed.kind !== "unknown") return undefined;
  const verb = parsed.verb.toLowerCase();
  return allowedCommands?.(conversation, user).find((name) => name.toLowerCase() === verb);
}
