import type { Role } from "@acp-kit/router";

/** One command of the chat. */
export type Command = {
  /** What people write behind `!`. */
  readonly name: string;
  /** Other words for it; never shown. */
  readonly aliases: readonly string[];
  /** What may stand behind it, as people read it; empty for nothing. */
  readonly takes: string;
  /** What it does, in words that fit on a phone. */
  readonly does: string;
  /** The least that a person has to be for it. */
  readonly role: Role;
  /** `relay`: carried out here. `surface`: what it does depends on what the platform has shown. */
  readonly by: "relay" | "surface";
  /** It changes something: the same message again must not change it twice. */
  readonly changes: boolean;
};

/** Every command, in the order of the help. Parsing, help and the page about them are made of this. */
export const COMMANDS = [
  {
    name: "help",
    aliases: ["commands"],
    takes: "",
    does: "show this list",
    role: "user",
    by: "relay",
    changes: false,
  },
  {
    name: "status",
    aliases: ["whoami", "relay", "bot"],
    takes: "",
    does: "what works here, and with what",
    role: "user",
    by: "relay",
    changes: false,
  },
  {
    name: "stop",
    aliases: [],
    takes: "",
    does: "end what runs",
    role: "user",
    by: "surface",
    changes: true,
  },
  {
    name: "continue",
    aliases: [],
    takes: "",
    does: "show the rest; `.` alone does the same",
    role: "user",
    by: "surface",
    changes: false,
  },
  {
    name: "yes",
    aliases: [],
    takes: "[number]",
    does: "say yes to the question, or choose an option",
    role: "user",
    by: "surface",
    changes: true,
  },
  {
    name: "no",
    aliases: [],
    takes: "",
    does: "say no to the question",
    role: "user",
    by: "surface",
    changes: true,
  },
  {
    name: "model",
    aliases: ["models", "m"],
    takes: "[name | default]",
    does: "list the models, or choose one",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "mode",
    aliases: ["modes"],
    takes: "[name | default]",
    does: "list the modes, or choose one",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "agent",
    aliases: ["agents"],
    takes: "[name | default]",
    does: "list the agents, or choose one",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "project",
    aliases: ["projects"],
    takes: "[name]",
    does: "list the projects, or choose one",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "new",
    aliases: ["reset"],
    takes: "",
    does: "start afresh; what you chose stays",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "retry",
    aliases: [],
    takes: "",
    does: "run the last message again",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "last",
    aliases: [],
    takes: "",
    does: "show the last answer again",
    role: "user",
    by: "relay",
    changes: false,
  },
  {
    name: "queue",
    aliases: [],
    takes: "[drop number | drop all]",
    does: "what waits, or drop some of it",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "revoke",
    aliases: ["grants"],
    takes: "[number | all]",
    does: "what you allowed for good, or take it back",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "diff",
    aliases: [],
    takes: "[path]",
    does: "what has changed in the files",
    role: "user",
    by: "relay",
    changes: false,
  },
  {
    name: "files",
    aliases: [],
    takes: "",
    does: "the files that the last turn changed",
    role: "user",
    by: "relay",
    changes: false,
  },
  {
    name: "get",
    aliases: [],
    takes: "path",
    does: "send you a file",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "cost",
    aliases: ["usage"],
    takes: "",
    does: "what you have used",
    role: "user",
    by: "relay",
    changes: false,
  },
  {
    name: "login",
    aliases: ["logins"],
    takes: "[name | cancel]",
    does: "log the agent in",
    role: "user",
    by: "relay",
    changes: true,
  },
  {
    name: "policy",
    aliases: [],
    takes: "[ask | allow | deny | read-only] [30m] | default",
    does: "what happens when the agent asks, in this chat",
    role: "operator",
    by: "relay",
    changes: true,
  },
  {
    name: "pause",
    aliases: [],
    takes: "[reason | off]",
    does: "let nobody start anything, or let them again",
    role: "operator",
    by: "relay",
    changes: true,
  },
  {
    name: "pair",
    aliases: [],
    takes: "code",
    does: "make you the first operator",
    role: "user",
    by: "relay",
    changes: true,
  },
] as const satisfies readonly Command[];

export type CommandName = (typeof COMMANDS)[number]["name"];

/** A command and its role in words: `!queue [drop number | drop all]`. */
export function formatUsage({ name, takes }: Pick<Command, "name" | "takes">): string {
  return takes === "" ? `!${name}` : `!${name} ${takes}`;
}

export function commandOf(name: CommandName): Command {
  return COMMANDS.find((one) => one.name === name) as Command;
}
