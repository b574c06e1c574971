import { type Node, type Program, parseSync, visitorKeys } from "oxc-parser";

export type Import = {
  /** As it stands in the source; `""` when it is computed. */
  readonly specifier: string;
  /** Gone after types are stripped. */
  readonly typeOnly: boolean;
  /** What is taken from it: exported names, `default`, or `*`. */
  readonly names: readonly string[];
  readonly start: number;
};

const parsed = new Map<string, Program>();

/** The syntax tree of a source. Throws with the parser's message when there is none. */
export function parseSource(path: string, text: string): Program {
  const key = `${path}\n${text}`;
  const known = parsed.get(key);
  if (known) return known;
  const { program, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  parsed.set(key, program);
  return program;
}

/** Calls `visit` for each node, outer ones first. `key` is where `parent` holds the node. */
export function walk(
  root: Node,
  visit: (node: Node, parent: Node | undefined, key: string) => void,
): void {
  const step = (node: Node, parent: Node | undefined, key: string): void => {
    visit(node, parent, key);
    for (const childKey of visitorKeys[node.type] ?? []) {
      const child = (node as unknown as Record<string, Node | (Node | null)[] | null>)[childKey];
      for (const one of Array.isArray(child) ? child : [child]) if (one) step(one, node, childKey);
    }
  };
  step(root, undefined, "");
}

/** Everything that a source imports or re-exports, in whatever syntax. */
export function importsOf(path: string, text: string): Import[] {
  const imports: Import[] = [];
  const add = (start: number, source: Node | null, typeOnly: boolean, names: readonly string[]) =>
    imports.push({ specifier: stringOf(source) ?? "", typeOnly, names, start });
  walk(parseSource(path, text), (node) => {
    if (node.type === "ImportDeclaration") {
      const { specifiers, importKind } = node;
      const typeOnly =
        importKind === "type" ||
        (specifiers.length > 0 &&
          specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type"));
      add(node.start, node.source, typeOnly, specifiers.map(importedName));
    }
    if (node.type === "ExportNamedDeclaration" && node.source) {
      const typeOnly =
        node.exportKind === "type" || node.specifiers.every((one) => one.exportKind === "type");
      add(
        node.start,
        node.source,
        typeOnly,
        node.specifiers.map((one) => nameOf(one.local)),
      );
    }
    if (node.type === "ExportAllDeclaration") {
      add(node.start, node.source, node.exportKind === "type", ["*"]);
    }
    if (node.type === "ImportExpression") add(node.start, node.source, false, ["*"]);
    if (node.type === "TSImportType") add(node.start, node.source, true, ["*"]);
    if (node.type === "TSExternalModuleReference") add(node.start, node.expression, false, ["*"]);
    if (node.type === "CallExpression" && nameOf(node.callee) === "require") {
      add(node.start, node.arguments[0] ?? null, false, ["*"]);
    }
  });
  return imports;
}

function importedName(specifier: Node): string {
  if (specifier.type === "ImportSpecifier") return nameOf(specifier.imported);
  return specifier.type === "ImportDefaultSpecifier" ? "default" : "*";
}

/** The name of an identifier, or the text of a string; `""` for everything else. */
export function nameOf(node: Node): string {
  return node.type === "Identifier" ? node.name : (stringOf(node) ?? "");
}

/** The value of a string that is written out, quotes or backticks alike. */
export function stringOf(node: Node | null): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked ?? undefined;
  }
  return undefined;
}

/** The name of the member that an expression such as `a.b` or `a["b"]` takes. */
export function memberName(node: Node): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  return node.computed ? stringOf(node.property) : nameOf(node.property);
}

/** The package that a specifier names, without its subpath; `undefined` for relative ones and `node:` modules. */
export function packageOf(specifier: string): string | undefined {
  return /^(?![./]|node:)(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
