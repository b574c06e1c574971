import {
  type CommandAgent,
  type CommandCall,
  type CommandMessage,
  type CommandOutcome,
  refuse,
  reply,
} from "./command-context.ts";
import { LOGIN_WAIT_MS, type PendingLogin } from "./login-book.ts";
import { type Choosable, matchChoice } from "./match-choice.ts";
import { parseRedirect } from "./parse-login-input.ts";
import { replies } from "./replies.ts";

/** Shortest part of a secret that is looked for in what an agent says, in characters. */
const MIN_PART = 6;

/** Longest address and id of a login, in characters. */
const MAX_CHARS = 4_000;

/** `!login`: lists logins, starts one, gives one up. */
export async function manageLogin(call: CommandCall): Promise<CommandOutcome> {
  const { host, message, argument } = call;
  const { conversation, user, at } = message;
  const state = await host.router.describe(conversation, user);
  const name = state.agent || (host.bots.get(message.bot)?.agent ?? "");
  const own = await host.personalAgent?.(name, user);
  const agent = own ?? host.agents.get(name);
  // One login serves everybody: it is not for anybody to change.
  if (!own && message.role !== "operator") return refuse(replies.notAllowed("login"));
  if (!agent) return reply(replies.loginMethods([]));
  const pending = host.logins.pending(conversation, at);
  const isWaiting = pending !== undefined && pending.expiresAt > at;
  if (isWaiting && pending.user !== user) return reply(replies.loginElsewhere());
  if (/^cancel$/i.test(argument)) {
    host.logins.end(conversation);
    if (!isWaiting) return reply(replies.noLogin());
    await giveUp(call, agent, pending);
    return reply(replies.loginCancelled());
  }
  await agent.ready();
  const methods = methodsOf(agent);
  if (argument === "") return reply(replies.loginMethods(methods));
  const match = matchChoice(argument.replace(/^oauth-/i, ""), methods);
  const [method] = match.kind === "one" ? methods.filter((one) => one === match.choice) : [];
  if (!method) return reply(replies.loginMethods(methods));
  if (isWaiting) {
    host.logins.end(conversation);
    await giveUp(call, agent, pending);
  }
  return start(call, agent, name, method);
}

/** Methods that the agent carries out itself: others need a terminal or a variable. */
export function methodsOf(
  agent: Pick<CommandAgent, "authMethods">,
): readonly (Choosable & { readonly method: string })[] {
  return agent.authMethods
    .filter(({ type = "agent" }) => type === "agent" || type === "")
    .map(({ id, name }) => ({ id: id.replace(/^oauth-/, ""), name: name || id, method: id }));
}

async function start(
  { host, message }: CommandCall,
  agent: CommandAgent,
  agentName: string,
  { id, method }: Choosable & { readonly method: string },
): Promise<CommandOutcome> {
  const { conversation, user, at } = message;
  let login: Awaited<ReturnType<CommandAgent["login"]>>;
  try {
    login = await agent.login(method, { kind: "start" });
  } catch (error) {
    host.log.warn({ agent: agentName, method }, "a login could not be started");
    return reply(replies.loginFailed(id, messageOf(error)));
  }
  switch (login.state) {
    case "ok":
    case "unknown":
      return reply(replies.loginDone(id));
    case "cancelled":
      return reply(replies.loginCancelled());
    case "needs_redirect": {
      const url = URL.parse(login.url);
      const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
      if (!isWeb || url.href.length > MAX_CHARS || login.id.length > MAX_CHARS) {
        return reply(replies.loginStrange());
      }
      const expiresAt = at + LOGIN_WAIT_MS;
      const redirect = parseRedirect(url.href);
      host.logins.begin({
        conversation,
        user,
        agent: agentName,
        method,
        id: login.id,
        redirect,
        expiresAt,
      });
      const text = replies.loginOpen(url.href, login.instructions, LOGIN_WAIT_MS);
      return { kind: "reply", text, asksFor: "login" };
    }
  }
}

/** The second step, with what was pasted. Nothing of it is in what is said or logged. */
export async function finishLogin(
  host: CommandCall["host"],
  { user }: CommandMessage,
  pending: PendingLogin,
  secret: string,
): Promise<CommandOutcome> {
  const { agent: name, method, id } = pending;
  const short = method.replace(/^oauth-/, "");
  try {
    const agent = (await host.personalAgent?.(name, user)) ?? host.agents.get(name);
    const login = await agent?.login(method, { kind: "submit", id, redirect: secret });
    if (login?.state === "ok" || login?.state === "unknown") {
      host.log.info({ agent: name, method }, "an agent was logged in");
      return reply(replies.loginDone(short));
    }
    return reply(replies.loginFailed(short, ""));
  } catch (error) {
    host.log.warn({ agent: name, method }, "a login failed");
    return reply(replies.loginFailed(short, withoutSecret(messageOf(error), secret)));
  }
}

async function giveUp(
  { host }: CommandCall,
  agent: CommandAgent,
  { method, id }: PendingLogin,
): Promise<void> {
  try {
    await agent.login(method, { kind: "cancel", id });
  } catch {
    // It is given up here in any case; the agent's own wait ends by itself.
    host.log.debug({ method }, "the agent did not take the end of a login");
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/** What an agent says of a failure; empty when it repeats any part of the secret. */
function withoutSecret(text: string, secret: string): string {
  const plain = decodeLoosely(text);
  const parts = [secret, decodeLoosely(secret)].flatMap((one) => [
    one,
    ...one.split(/[?&#=/]/).filter((part) => part.length >= MIN_PART && /\d/.test(part)),
  ]);
  return parts.some((part) => text.includes(part) || plain.includes(part)) ? "" : text;
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
