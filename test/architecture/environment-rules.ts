import path from "node:path";
import type { Node } from "oxc-parser";
import { type Files, filesIn, folderOf, lineAt, type Rule, type Sample, sources } from "./rule.ts";
import { importsOf, memberName, nameOf, parseSource, stringOf, walk } from "./source.ts";

/** Members of `process` that say how the program was started. */
const startMembers = ["argv", "argv0", "env", "execArgv", "loadEnvFile"];
const listenMembers = ["addListener", "on", "once", "prependListener", "prependOnceListener"];

/** A module that takes all of `node:process` may call it by any name, so that its members could not be seen here. */
const startImports = [...startMembers, ...listenMembers, "default", "*"];

/** Files that may know how the program was started: besides these, those that a package's `bin` names. */
const programs = /^apps\/[^/]+\/src\/main\.ts$|^packages\/relay\/src\/cli(\.ts$|\/)/;

/** The sources of a package's `bin`: `dist/x.js` is built from `src/x.ts`. */
function binSources(files: Files, folder: string): string[] {
  const manifest = JSON.parse(files.get(`${folder}/package.json`) ?? "{}") as {
    bin?: string | Record<string, string>;
  };
  const bins = typeof manifest.bin === "object" ? Object.values(manifest.bin) : [manifest.bin];
  return bins.flatMap((bin) => {
    const name = bin && /^(?:\.\/)?dist\/(.+)\.[cm]?js$/.exec(bin)?.[1];
    return name ? [path.posix.join(folder, "src", `${name}.ts`)] : [];
  });
}

function findStartReads(file: string, text: string): string[] {
  const found: string[] = [];
  const add = (node: { start: number }, what: string) =>
    found.push(`${file}:${lineAt(text, node.start)}: ${what}`);
  for (const one of importsOf(file, text)) {
    if (!/^(node:)?process$/.test(one.specifier)) continue;
    const wrong = one.names.filter((name) => startImports.includes(name));
    for (const name of wrong) add(one, `imports ${name} from ${one.specifier}`);
  }
  walk(parseSource(file, text), (node) => {
    if (node.type === "MemberExpression" && isProcess(node.object)) {
      const member = memberName(node);
      if (member === undefined || startMembers.includes(member))
        add(node, "reads process.env or argv");
    }
    if (node.type === "VariableDeclarator" && node.init && isProcess(node.init)) {
      const taken = node.id.type === "ObjectPattern" ? node.id.properties : [];
      for (const one of taken) {
        if (one.type === "RestElement" || startMembers.includes(nameOf(one.key))) {
          add(node, "reads process.env or argv");
        }
      }
    }
    if (node.type === "CallExpression" && isSignalListener(node.callee, node.arguments[0])) {
      add(node, "installs a signal handler");
    }
  });
  return found;
}

function isProcess(node: Node): boolean {
  if (node.type !== "MemberExpression") return nameOf(node) === "process";
  return nameOf(node.object) === "globalThis" && memberName(node) === "process";
}

/** A computed event counts as a signal: nobody can see here that it is none. */
function isSignalListener(callee: Node, event: Node | undefined): boolean {
  if (callee.type !== "MemberExpression" || !isProcess(callee.object)) return false;
  if (!listenMembers.includes(memberName(callee) ?? "")) return false;
  return /^SIG|^$/.test(stringOf(event ?? null) ?? "");
}

const inRouter = (text: string): Sample => ({ "packages/router/src/a.ts": text });
const program = "process.once('SIGTERM', () => {}); process.argv; process.env['HOME'];";

const onlyProgramsKnowHowTheyWereStarted: Rule = {
  title: "only programs read the environment and arguments, and install signal handlers",
  find: (files) =>
    filesIn(files, sources)
      .filter(([file]) => !programs.test(file))
      .filter(([file]) => !binSources(files, folderOf(file) ?? "").includes(file))
      .flatMap(([file, text]) => findStartReads(file, text)),
  bad: [
    inRouter("export const home = process.env.HOME;"),
    inRouter("export const home = process['env'];"),
    inRouter("export const home = (name: 'env') => process[name];"),
    inRouter("export const home = globalThis.process.env;"),
    inRouter("export const first = process.argv[2];"),
    inRouter("const { pid, env } = process;"),
    inRouter('import { argv } from "node:process";'),
    inRouter('import host from "node:process"; host.env;'),
    inRouter('import * as host from "process";'),
    inRouter("process.on('SIGTERM', () => {});"),
    inRouter("for (const signal of signals) process.once(signal, stop);"),
    { "packages/relay/src/client/a.ts": program },
    { "packages/demo-agent/src/main.ts": program },
    {
      "packages/demo-agent/package.json": '{"bin":"./dist/main.js"}',
      "packages/demo-agent/src/other.ts": program,
    },
    { "apps/poe-relay/src/renderer/main.ts": program },
  ],
  fine: [
    inRouter("process.on('exit', () => {}); process.kill(process.pid, 'SIGTERM');"),
    inRouter("export const read = (source: { env: string }) => source.env;"),
    inRouter('import { pid } from "node:process";'),
    inRouter("export const read = (child: Child) => child.process.argv;"),
    { "apps/poe-relay/src/main.ts": program },
    { "packages/relay/src/cli/run.ts": program },
    {
      "packages/demo-agent/package.json": '{"bin":{"acp-demo-agent":"./dist/main.js"}}',
      "packages/demo-agent/src/main.ts": program,
    },
    { "packages/router/test/a.test.ts": program },
  ],
};

export const environmentRules: readonly Rule[] = [onlyProgramsKnowHowTheyWereStarted];
