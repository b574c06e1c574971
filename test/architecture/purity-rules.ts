import { isBuiltin } from "node:module";
import type { Node } from "oxc-parser";
import { findGlobals, type Reference } from "./find-globals.ts";
import { relativeImports } from "./import-rules.ts";
import { type Files, filesIn, lineAt, type Rule, type Sample, sources } from "./rule.ts";
import { importsOf, memberName, nameOf, parseSource } from "./source.ts";

/** These `node:` modules only compute; of some, only these exports do. */
const pureModules: Readonly<Record<string, readonly string[] | "all">> = {
  "node:buffer": "all",
  "node:crypto": ["createHash", "createHmac", "hash", "timingSafeEqual"],
  "node:path": "all",
  "node:string_decoder": "all",
  "node:url": "all",
  "node:util": "all",
};

/** Names of the runtime that read a clock, start a timer, do I/O or are random. */
const impureGlobals = new Set([
  "console",
  "fetch",
  "performance",
  "process",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
  "WebSocket",
]);

/** The same for members, as in `Date.now`. */
const impureMembers: Readonly<Record<string, readonly string[]>> = {
  Date: ["now"],
  Math: ["random"],
  crypto: ["getRandomValues", "randomUUID"],
  globalThis: [...impureGlobals],
};

const purePath = /\/src\/(?:.*\/)?(?:renderer\/.+|(?:parse|reduce|render)(?:-[^/]+)?\.ts$)/;
const pureVerb = /^(?:parse|reduce|render)(?![a-z])/;

/** Whether a source must be pure: by its place, by its name, or by what it exports. */
function mustBePure(file: string, text: string): boolean {
  if (purePath.test(file)) return true;
  return parseSource(file, text).body.some(
    (statement) =>
      statement.type === "ExportNamedDeclaration" &&
      statement.declaration !== null &&
      valuesDeclaredBy(statement.declaration).some((name) => pureVerb.test(name)),
  );
}

function valuesDeclaredBy(declaration: Node): string[] {
  if (declaration.type === "FunctionDeclaration" && declaration.id) return [declaration.id.name];
  if (declaration.type !== "VariableDeclaration") return [];
  return declaration.declarations.map((one) => nameOf(one.id));
}

/** Where a source itself touches a clock, a timer, I/O or chance. */
function findImpurities(file: string, text: string): string[] {
  const found: string[] = [];
  const add = (offset: number, what: string) =>
    found.push(`${file}:${lineAt(text, offset)}: ${what}`);
  for (const { specifier, names, typeOnly, start } of importsOf(file, text)) {
    const pure = pureModules[specifier];
    const isPure = pure === "all" || names.every((name) => pure?.includes(name));
    if (isBuiltin(specifier) && !typeOnly && !isPure) add(start, `uses ${specifier}`);
  }
  for (const [name, references] of findGlobals(file, text)) {
    for (const { node, parent } of references) {
      const what = impurityOf(name, { node, parent });
      if (what !== undefined) add(node.start, `uses ${what}`);
    }
  }
  return found;
}

function impurityOf(name: string, { node, parent }: Reference): string | undefined {
  if (impureGlobals.has(name)) return name;
  if (name === "Date" && parent?.type === "NewExpression" && parent.callee === node) {
    return parent.arguments.length === 0 ? "new Date()" : undefined;
  }
  if (name === "Date" && parent?.type === "CallExpression" && parent.callee === node) {
    return "Date()";
  }
  const member = parent && memberName(parent);
  return member && impureMembers[name]?.includes(member) ? `${name}.${member}` : undefined;
}

/** The sources that must be pure, and with them every file that they need when they run. */
function findInClosure(files: Files): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string, from: string): void => {
    const text = files.get(file);
    if (seen.has(file) || text === undefined) return;
    seen.add(file);
    const suffix = from === file ? "" : `, which ${from} needs`;
    for (const finding of findImpurities(file, text)) found.add(`${finding}${suffix}`);
    for (const next of relativeImports(file, text)) visit(next, from);
  };
  for (const [file, text] of filesIn(files, sources)) {
    if (mustBePure(file, text)) visit(file, file);
  }
  return [...found];
}

const inRenderer = (text: string): Sample => ({ "apps/poe-relay/src/renderer/line.ts": text });

const pureSources: Rule = {
  title: "parsers, reducers and renderers know no clock, timer, I/O or chance",
  find: findInClosure,
  bad: [
    inRenderer("export const line = () => Date.now();"),
    inRenderer("export const line = () => new Date();"),
    inRenderer("export const line = () => Date();"),
    inRenderer("export const line = () => performance.now();"),
    inRenderer("export const line = () => setTimeout(() => {}, 1);"),
    inRenderer("export const line = () => globalThis.setInterval(() => {}, 1);"),
    inRenderer("export const line = () => process.pid;"),
    inRenderer("export const line = () => Math['random']();"),
    inRenderer('import { readFileSync } from "node:fs";'),
    inRenderer('import { setTimeout } from "node:timers/promises";'),
    inRenderer('import { createHash, randomUUID } from "node:crypto";'),
    { "packages/router/src/parse-options.ts": "export const options = () => Date.now();" },
    { "packages/router/src/turn.ts": "export function reduceTurn() { return Date.now(); }" },
    { "packages/router/src/turn.ts": "export const renderTurn = () => console.log(1);" },
    {
      "packages/router/src/parse-options.ts": 'import { clock } from "./clock.ts";',
      "packages/router/src/clock.ts": "export const clock = () => Date.now();",
    },
  ],
  fine: [
    inRenderer("export const line = (at: number) => new Date(at).toISOString();"),
    inRenderer("export const line = (process: { pid: number }) => process.pid;"),
    inRenderer("export const line = (turn: { process: number }) => turn.process;"),
    inRenderer("export type Line = { process: typeof process; now: typeof Date.now };"),
    inRenderer('import { createHash } from "node:crypto"; import type { Stats } from "node:fs";'),
    { "packages/router/src/turn.ts": "export const startTurn = () => Date.now();" },
    { "packages/router/src/turn.ts": "export const parsed = () => Date.now();" },
    { "packages/router/test/parse-options.test.ts": "Date.now();" },
    {
      "packages/router/src/parse-options.ts": 'import type { Clock } from "./clock.ts";',
      "packages/router/src/clock.ts": "export const clock = () => Date.now();",
    },
  ],
};

export const purityRules: readonly Rule[] = [pureSources];
