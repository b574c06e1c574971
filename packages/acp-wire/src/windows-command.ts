import { win32 } from "node:path";

/** How to start a program on Windows. */
export interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are escaped for cmd.exe already: Node must pass them on as they are. */
  readonly verbatim: boolean;
}

export interface WindowsLookup {
  readonly path: string;
  readonly pathext: string;
  /** `%COMSPEC%`. */
  readonly comspec: string;
  readonly cwd: string;
  readonly isFile: (path: string) => boolean;
}

/** What Windows itself can start; scripts need cmd.exe. */
const PROGRAMS = new Set([".exe", ".com"]);
const SCRIPTS = new Set([".cmd", ".bat"]);
/** The shims of npm hand their arguments through a second parse. */
const NPM_SHIM = /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i;

/**
 * The file that a command names on Windows, and how to start it: a program by itself, a `.cmd` or
 * `.bat` by cmd.exe with every argument escaped. Undefined when there is none. Unlike cmd.exe this
 * never looks into the current directory for a bare name. Pure but for `isFile`.
 *
 * @throws RangeError for an argument with a line break or NUL, which no escaping brings through cmd.exe
 */
export function resolveWindowsCommand(
  command: readonly string[],
  lookup: WindowsLookup,
): WindowsCommand | undefined {
  const [name = "", ...args] = command;
  const file = candidates(name, lookup).find(lookup.isFile);
  if (file === undefined) return undefined;
  const extension = win32.extname(file).toLowerCase();
  if (!SCRIPTS.has(extension)) return { file, args, verbatim: false };
  if (args.some((arg) => /[\r\n\0]/.test(arg))) {
    throw new RangeError("An argument of a .cmd or .bat file cannot hold a line break or NUL.");
  }
  const twice = NPM_SHIM.test(file);
  const line = [
    escapeMeta(win32.normalize(file)),
    ...args.map((arg) => escapeArgument(arg, twice)),
  ];
  const comspec = lookup.comspec || "cmd.exe";
  return { file: comspec, args: ["/d", "/s", "/c", `"${line.join(" ")}"`], verbatim: true };
}

function candidates(name: string, { path, pathext, cwd }: WindowsLookup): string[] {
  if (name === "") return [];
  const extensions = pathext
    .split(";")
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => PROGRAMS.has(extension) || SCRIPTS.has(extension));
  const own = win32.extname(name).toLowerCase();
  const known = PROGRAMS.has(own) || SCRIPTS.has(own);
  const names = [...(known ? [name] : []), ...extensions.map((extension) => name + extension)];
  const hasDirectory = /[\\/:]/.test(name);
  const directories = path
    .split(";")
    .map((directory) => directory.trim().replace(/^"(.*)"$/, "$1"))
    .filter((directory) => directory !== "");
  return (hasDirectory ? [cwd] : directories).flatMap((directory) =>
    names.map((candidate) => win32.resolve(directory, candidate)),
  );
}

/** Quotes for the C runtime of the program, then escapes for cmd.exe. */
function escapeArgument(argument: string, twice: boolean): string {
  const quoted = argument.replace(/(?=(\\+?)?)\1"/g, '$1$1\\"').replace(/(?=(\\+?)?)\1$/, "$1$1");
  const once = escapeMeta(`"${quoted}"`);
  return twice ? escapeMeta(once) : once;
}

function escapeMeta(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
}
