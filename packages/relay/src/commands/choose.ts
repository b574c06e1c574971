import type { Choice } from "@acp-kit/router";
import { hashId } from "../log.ts";
import { type CommandCall, type CommandOutcome, refuse, reply } from "./command-context.ts";
import { type Choosable, matchChoice } from "./match-choice.ts";
import { type Kind, replies } from "./replies.ts";

/** What gives a choice up. */
const DEFAULT_WORDS: readonly string[] = ["default", "reset", "auto"];

/** Longest name that a person may type for something that nobody has listed, in characters. */
const MAX_TYPED = 100;

/** Something to choose from, and what becomes of a choice. */
type Choosing = {
  readonly kind: Kind;
  readonly all: readonly Choosable[];
  readonly isOpen: (id: string) => boolean;
  /** What runs, and what was chosen to run next. */
  readonly current?: string | undefined;
  readonly wanted?: string | undefined;
  /** A choice can be given up. */
  readonly hasDefault: boolean;
  /** What is not listed can be chosen while nothing is. */
  readonly takesUnlisted: boolean;
  /** Resolves with what is to be said, if it is not the usual; an empty id gives the choice up. */
  readonly take: (id: string) => Promise<string | undefined>;
};

/** `!model` and `!mode`. */
export async function chooseSetting(
  kind: "model" | "mode",
  call: CommandCall,
): Promise<CommandOutcome> {
  const { host, message, key } = call;
  const { conversation, user, at } = message;
  const state = await host.router.describe(conversation, user);
  const setting = state.settings.get(kind);
  const { available = [], names = {}, current, wanted, initial } = setting ?? {};
  const listed = available.map((id) => ({ id, name: names[id] ?? id }));
  const all = listed.length > 0 ? listed : offeredBy(kind, call, state.agent);
  return choose(call, {
    kind,
    all,
    isOpen: (value) => isOpen(call, { agent: state.agent, setting: kind, value, initial }),
    current: textOf(current),
    wanted: textOf(wanted),
    hasDefault: true,
    takesUnlisted: true,
    take: async (value) => {
      const settings = { [kind]: value };
      await host.router.submit(conversation, { kind: "choose", key, user, settings, at });
      return undefined;
    },
  });
}

/** `!agent`. */
export async function chooseAgent(call: CommandCall): Promise<CommandOutcome> {
  const { host, message, key } = call;
  const { conversation, user, at } = message;
  const state = await host.router.describe(conversation, user);
  const running = state.agent || (host.bots.get(message.bot)?.agent ?? "");
  return choose(call, {
    kind: "agent",
    all: [...host.agents.keys()].map((id) => ({ id, name: id })),
    isOpen: (value) => isOpen(call, { agent: value, setting: "agent", value }),
    current: running,
    wanted: state.isAgentChosen ? running : undefined,
    hasDefault: true,
    takesUnlisted: false,
    take: async (agent) => {
      await host.router.submit(conversation, { kind: "choose", key, user, agent, at });
      return undefined;
    },
  });
}

/** `!project`. */
export async function chooseProject(call: CommandCall): Promise<CommandOutcome> {
  const { projects } = call.host;
  if (!projects) return reply(replies.notAvailable("project"));
  const { conversation, user } = call.message;
  return choose(call, {
    kind: "project",
    all: projects.list(conversation, user).map(({ name }) => ({ id: name, name })),
    isOpen: () => true,
    current: projects.current(conversation),
    hasDefault: false,
    takesUnlisted: false,
    take: async (name) => (await projects.choose(conversation, user, name)).text,
  });
}

async function choose(call: CommandCall, choosing: Choosing): Promise<CommandOutcome> {
  const { argument } = call;
  const { kind, all, current, wanted, take } = choosing;
  const open = all.filter(({ id }) => choosing.isOpen(id));
  if (argument === "") return reply(replies.choices(kind, open, current, wanted));
  const isDefault = DEFAULT_WORDS.includes(argument.toLowerCase());
  const match = matchChoice(argument, open);
  if (isDefault && choosing.hasDefault && !(match.kind === "one" && match.isExact)) {
    await take("");
    return reply(replies.chosenDefault(kind));
  }
  switch (match.kind) {
    case "one":
      return reply(replies.chosen(kind, argument, match.choice, await take(match.choice.id)));
    case "several":
      return reply(replies.ambiguous(kind, argument, match.choices));
    case "none": {
      const closed = matchChoice(argument, all);
      if (closed.kind === "one") return refuseChoice(call, kind, closed.choice.id);
      const isUnlisted = all.length === 0 && choosing.takesUnlisted;
      if (!isUnlisted || argument.length > MAX_TYPED) {
        return reply(replies.noMatch(kind, argument));
      }
      if (!choosing.isOpen(argument)) return refuseChoice(call, kind, argument);
      await take(argument);
      return reply(replies.chosenUnseen(kind, argument));
    }
  }
}

/** The router would refuse it too; the operator is told of it here, in the same words. */
function refuseChoice({ host, message }: CommandCall, setting: Kind, value: string) {
  const conversation = hashId(message.conversation);
  const user = hashId(message.user);
  host.log.warn(
    { conversation, user, setting, value: value.slice(0, MAX_TYPED) },
    "a choice was refused",
  );
  return refuse(replies.notOpen(setting, value));
}

/** What the agent offers in any session, where it has been asked. */
function offeredBy(
  kind: "model" | "mode",
  { host, message }: CommandCall,
  agent: string,
): readonly Choosable[] {
  const offer = host.offers?.of(agent || (host.bots.get(message.bot)?.agent ?? ""));
  return (kind === "model" ? offer?.models : offer?.modes) ?? [];
}

function isOpen(
  { host, message }: CommandCall,
  choice: Pick<Choice, "agent" | "setting" | "value" | "initial">,
): boolean {
  const { conversation, user } = message;
  return host.mayChoose?.({ conversation, user, ...choice }) ?? true;
}

function textOf(value: string | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
