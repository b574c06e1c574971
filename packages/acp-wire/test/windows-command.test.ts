import { describe, expect, it } from "vitest";
import { resolveWindowsCommand } from "../src/index.ts";

const FILES = new Set([
  "C:\\Program Files\\nodejs\\node.exe",
  "C:\\Program Files\\nodejs\\npx",
  "C:\\Program Files\\nodejs\\npx.cmd",
  "C:\\Users\\me\\AppData\\Roaming\\npm\\gemini.cmd",
  "C:\\tools\\agent.bat",
  "C:\\tools\\agent.exe",
  "C:\\tools\\helper.ps1",
  "C:\\repo\\node_modules\\.bin\\my-agent.cmd",
  "C:\\repo\\local.exe",
]);

const resolve = (...command: string[]) =>
  resolveWindowsCommand(command, {
    path: 'C:\\Windows;"C:\\Program Files\\nodejs";C:\\Users\\me\\AppData\\Roaming\\npm;C:\\tools;;',
    pathext: ".COM;.EXE;.BAT;.CMD;.VBS",
    comspec: "C:\\Windows\\system32\\cmd.exe",
    cwd: "C:\\repo",
    isFile: (path) =>
      FILES.has(path) || [...FILES].some((file) => file.toLowerCase() === path.toLowerCase()),
  });
const cmd = (line: string) => ({
  file: "C:\\Windows\\system32\\cmd.exe",
  args: ["/d", "/s", "/c", `"${line}"`],
  verbatim: true,
});

describe("a command on Windows", () => {
  it.each([
    [
      "a program by its bare name",
      ["node", "a.js"],
      { file: "C:\\Program Files\\nodejs\\node.exe", args: ["a.js"], verbatim: false },
    ],
    [
      "a program with its extension",
      ["node.EXE"],
      { file: "C:\\Program Files\\nodejs\\node.EXE", args: [], verbatim: false },
    ],
    [
      "a script before the file without extension beside it",
      ["npx", "-y"],
      cmd('C:\\Program^ Files\\nodejs\\npx.cmd ^"-y^"'),
    ],
    [
      "a program before a script of its name",
      ["agent"],
      { file: "C:\\tools\\agent.exe", args: [], verbatim: false },
    ],
    ["a script by its extension", ["agent.bat"], cmd("C:\\tools\\agent.bat")],
    [
      "a global shim of npm",
      ["gemini", "--acp"],
      cmd('C:\\Users\\me\\AppData\\Roaming\\npm\\gemini.cmd ^"--acp^"'),
    ],
    [
      "a local shim of npm, escaped twice",
      [".\\node_modules\\.bin\\my-agent", "a&b"],
      cmd('C:\\repo\\node_modules\\.bin\\my-agent.cmd ^^^"a^^^&b^^^"'),
    ],
    [
      "a path with slashes",
      ["./local"],
      { file: "C:\\repo\\local.exe", args: [], verbatim: false },
    ],
    [
      "an absolute path",
      ["C:\\tools\\agent.exe", "a b"],
      { file: "C:\\tools\\agent.exe", args: ["a b"], verbatim: false },
    ],
  ])("%s", (_, command, expected) => {
    expect(resolve(...command)).toEqual(expected);
  });

  it.each([
    ["nothing of that name", "missing"],
    ["a name that stands only in the current directory", "local"],
    ["a script that Windows does not start", "helper"],
    ["a file without extension", "C:\\Program Files\\nodejs\\npx-none"],
    ["no name", ""],
  ])("is not found: %s", (_, name) => {
    expect(resolve(name)).toBeUndefined();
  });

  it.each([
    ["spaces", "a b", '^"a^ b^"'],
    ["a quote", 'say "hi"', '^"say^ \\^"hi\\^"^"'],
    ["a backslash at the end", "C:\\dir\\", '^"C:\\dir\\\\^"'],
    ["backslashes before a quote", 'a\\"b', '^"a\\\\\\^"b^"'],
    ["variables", "%PATH%", '^"^%PATH^%^"'],
    ["what cmd.exe acts on", "a&b|c<d>e^f!", '^"a^&b^|c^<d^>e^^f^!^"'],
    ["nothing", "", '^"^"'],
  ])("hands a script an argument with %s", (_, argument, escaped) => {
    expect(resolve("agent.bat", argument)).toEqual(cmd(`C:\\tools\\agent.bat ${escaped}`));
  });

  it.each(["a\nb", "a\rb", "a\0b"])("refuses %j for a script", (argument) => {
    expect(() => resolve("agent.bat", argument)).toThrow(RangeError);
    expect(resolve("agent", argument)).toBeDefined();
  });
});
