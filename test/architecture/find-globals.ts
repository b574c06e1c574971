import type { Node } from "oxc-parser";
import { parseSource, walk } from "./source.ts";

/** Under these keys stand types, whose names are no values. */
const typeKeys = new Set([
  "typeAnnotation",
  "typeArguments",
  "typeParameters",
  "returnType",
  "superTypeArguments",
  "implements",
]);
const typeNodes = new Set([
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSDeclareFunction",
]);
/** Under these keys stand names of members and exports, which are no references. */
const nameKeys = new Set(["key", "imported", "exported", "label", "meta"]);

export type Reference = { readonly node: Node; readonly parent: Node | undefined };

/** Uses of names that the source does not declare anywhere, so that they are the runtime's. */
export function findGlobals(path: string, text: string): Map<string, Reference[]> {
  const references = new Map<string, Reference[]>();
  const declared = new Set<string>();
  const types = new Set<Node>();
  walk(parseSource(path, text), (node, parent, key) => {
    if (typeKeys.has(key) || typeNodes.has(node.type) || (parent && types.has(parent))) {
      types.add(node);
      return;
    }
    for (const name of declaredBy(node)) declared.add(name);
    if (node.type !== "Identifier") return;
    const computed = parent !== undefined && "computed" in parent && parent.computed;
    if (!computed && (nameKeys.has(key) || key === "property")) return;
    references.set(node.name, [...(references.get(node.name) ?? []), { node, parent }]);
  });
  for (const name of declared) references.delete(name);
  return references;
}

function declaredBy(node: Node): string[] {
  switch (node.type) {
    case "VariableDeclarator":
      return namesIn(node.id);
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [...(node.id ? namesIn(node.id) : []), ...node.params.flatMap(namesIn)];
    case "ClassDeclaration":
    case "ClassExpression":
      return node.id ? namesIn(node.id) : [];
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
      return namesIn(node.local);
    case "CatchClause":
      return node.param ? namesIn(node.param) : [];
    default:
      return [];
  }
}

function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((one) => namesIn(one));
    case "Property":
      return namesIn(pattern.value);
    case "ArrayPattern":
      return pattern.elements.flatMap((one) => (one ? namesIn(one) : []));
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    default:
      return [];
  }
}
