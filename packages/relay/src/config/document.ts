import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** Keys and indexes from the root of a document to one of its values. */
export type Path = readonly PropertyKey[];

/** A parsed document that still knows where each of its values stands. */
export type Document = {
  readonly value: unknown;
  /** 1-based line of the value at `path`, or of the nearest one around it that is there. */
  lineOf(path: Path): number;
};

/** What is wrong with a text that is no document, and the 1-based line. */
export type SyntaxProblem = { readonly line: number; readonly problem: string };

/** Parses JSON with comments and trailing commas. A key that stands twice in one object, or is
 * called `__proto__`, is a problem too. */
export function parseDocument(text: string): Document | SyntaxProblem {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  if (root === undefined) return { line: 1, problem: "the file must hold an object in braces" };
  const [error] = errors;
  if (error) {
    const problem = syntaxProblems[printParseErrorCode(error.error)] ?? NO_JSON;
    return { line: lineAt(error.offset), problem };
  }
  const bad = findBadKey(root);
  if (bad) return { line: lineAt(bad.key.offset), problem: bad.problem };
  return {
    value: getNodeValue(root),
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node = findNodeAtLocation(root, path.slice(0, length).map(segment));
        // The value of a property may start lines below its key; people look for the key.
        if (node) return lineAt((node.parent?.type === "property" ? node.parent : node).offset);
      }
      return lineAt(root.offset);
    },
  };
}

const segment = (key: PropertyKey) => (typeof key === "symbol" ? String(key) : key);

const NO_JSON = "this is no JSON (comments and trailing commas are fine)";

const syntaxProblems: Partial<Record<string, string>> = {
  CommaExpected: "a comma is missing before this",
  ColonExpected: "a colon is missing after the key",
  CloseBraceExpected: 'a closing "}" is missing',
  CloseBracketExpected: 'a closing "]" is missing',
  PropertyNameExpected: "a key in double quotes is missing here",
  ValueExpected: "a value is missing here",
  EndOfFileExpected: "there is something behind the end of the object",
  UnexpectedEndOfString: "a closing double quote is missing",
  UnexpectedEndOfComment: 'a closing "*/" is missing',
};

/** The first key that stands twice in its object, or that would not become an ordinary property. */
function findBadKey(node: Node): { key: Node; problem: string } | undefined {
  const children = node.children ?? [];
  if (node.type === "object") {
    const seen = new Set<unknown>();
    for (const key of children.flatMap((property) => property.children?.[0] ?? [])) {
      const quoted = JSON.stringify(key.value);
      if (key.value === "__proto__") return { key, problem: `the key ${quoted} is not allowed` };
      if (seen.has(key.value)) return { key, problem: `the key ${quoted} stands twice` };
      seen.add(key.value);
    }
  }
  for (const child of children) {
    const found = findBadKey(child);
    if (found) return found;
  }
  return undefined;
}
