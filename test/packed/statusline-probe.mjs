// Runs every vector through a built file, once imported and once in a context that has nothing but ECMAScript, and
// prints the results as JSON. Plain JavaScript, since it also runs on Node.js 20.
// Needs --experimental-vm-modules; arguments: the built file, the vectors.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const [built, vectors] = process.argv.slice(2);
const { cases } = JSON.parse(readFileSync(vectors, "utf8"));

const context = vm.createContext({}, { codeGeneration: { strings: false, wasm: false } });
// What an engine brings along besides ECMAScript's own.
for (const name of ["console", "Intl", "WebAssembly"]) {
  vm.runInContext(`delete globalThis.${name}`, context);
}
const globals = vm.runInContext("Object.getOwnPropertyNames(globalThis)", context);
const module = new vm.SourceTextModule(readFileSync(built, "utf8"), { context });
await module.link((specifier) => {
  throw new Error(`imports ${specifier}`);
});
await module.evaluate();

const imported = resultsOf(await import(pathToFileURL(built).href));
const bare = resultsOf(module.namespace);
const expected = cases.map((entry) => decode(entry.expect));
process.stdout.write(JSON.stringify({ node: process.version, globals, imported, bare, expected }));

function resultsOf(functions) {
  return cases.map((entry) => functions[entry.fn](...entry.input.map(decode)));
}

/** Puts in what JSON cannot say: ill-formed strings and `undefined`. */
function decode(value) {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  if ("$utf16" in value) return String.fromCharCode(...value.$utf16);
  if ("$undefined" in value) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decode(member)]));
}
