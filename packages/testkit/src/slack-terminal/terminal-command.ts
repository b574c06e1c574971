/** What a line that somebody types means. */
export type TerminalCommand =
  | { readonly kind: "say"; readonly text: string }
  | {
      readonly kind: "as" | "channel" | "slash" | "submit" | "wait";
      readonly text: string;
    }
  | { readonly kind: "press" | "thread" | "delete"; readonly number: number }
  | { readonly kind: "edit" | "react" | "unreact"; readonly number: number; readonly text: string }
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | { readonly kind: Bare }
  | { readonly kind: "wrong"; readonly message: string };

type Bare = "dm" | "top" | "stop" | "close" | "look" | "people" | "log" | "help" | "quit";
type Named = Exclude<TerminalCommand["kind"], "wrong">;

type Row = { readonly usage: string; readonly does: string };

const rows: Readonly<Record<Named, Row>> = {
  say: { usage: "/say TEXT", does: "say something that begins with /; other text needs no /say" },
  as: { usage: "/as NAME", does: "be somebody else" },
  dm: { usage: "/dm", does: "go to your direct messages with the app" },
  channel: { usage: "/channel NAME", does: "go to a channel; there the app hears @agent" },
  thread: { usage: "/thread N", does: "go to the thread of message N" },
  top: { usage: "/top", does: "leave the thread: what you say next begins another" },
  press: { usage: "/press N", does: "press button N" },
  stop: { usage: "/stop", does: "press Stop" },
  edit: { usage: "/edit N TEXT", does: "change your message N" },
  delete: { usage: "/delete N", does: "delete your message N" },
  file: { usage: "/file PATH [TEXT]", does: "send a file, with a message" },
  react: { usage: "/react N NAME", does: "put a reaction such as thumbsup on message N" },
  unreact: { usage: "/unreact N NAME", does: "take it away" },
  slash: {
    usage: "/slash COMMAND [TEXT]",
    does: "use a slash command of the app; here any reaches it, Slack knows those of the manifest",
  },
  submit: { usage: "/submit [TEXT]", does: "submit the open dialog, with TEXT in its fields" },
  close: { usage: "/close", does: "close the open dialog" },
  wait: { usage: "/wait TEXT", does: "read on when TEXT is to be seen, for scripts" },
  look: { usage: "/look", does: "show all of this place again" },
  people: { usage: "/people", does: "who there is, and which channels" },
  log: {
    usage: "/log",
    does: "the last lines that the app has printed, a code for pairing among them",
  },
  help: { usage: "/help", does: "show this list" },
  quit: { usage: "/quit", does: "end, as Ctrl-C does" },
};

const bare: readonly string[] = [
  "dm",
  "top",
  "stop",
  "close",
  "look",
  "people",
  "log",
  "help",
  "quit",
] satisfies readonly Bare[];

/** Pure. An empty line says nothing. */
export function parseTerminalCommand(line: string): TerminalCommand | undefined {
  const trimmed = line.trim();
  if (trimmed === "") return undefined;
  const [, verb, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(trimmed) ?? [];
  if (verb === undefined) return { kind: "say", text: trimmed };
  if (!Object.hasOwn(rows, verb)) {
    return { kind: "wrong", message: `There is no /${verb}: /help lists what there is.` };
  }
  const kind = verb as Named;
  return parseNamed(kind, rest) ?? { kind: "wrong", message: `Write ${rows[kind].usage}` };
}

export function formatTerminalHelp(): string {
  const width = Math.max(...Object.values(rows).map(({ usage }) => usage.length));
  return Object.values(rows)
    .map(({ usage, does }) => `  ${usage.padEnd(width)}  ${does}`)
    .join("\n");
}

function parseNamed(kind: Named, rest: string): TerminalCommand | undefined {
  const [, first = "", behind = ""] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
  const number = /^\d+$/.test(first) ? Number(first) : undefined;
  switch (kind) {
    case "say":
    case "as":
    case "channel":
    case "slash":
    case "wait":
      return rest === "" ? undefined : { kind, text: rest };
    case "submit":
      return { kind, text: rest };
    case "press":
    case "thread":
    case "delete":
      return number === undefined || behind !== "" ? undefined : { kind, number };
    case "edit":
    case "react":
    case "unreact":
      return number === undefined || behind === "" ? undefined : { kind, number, text: behind };
    case "file":
      return first === "" ? undefined : { kind, path: first, text: behind };
    default:
      return rest === "" && bare.includes(kind) ? { kind } : undefined;
  }
}
