import { readFileSync } from "node:fs";

/** A vector file, with the stand-ins for what JSON cannot hold put back in place. */
export function readVectors<File>(name: string): File {
  const text = readFileSync(new URL(`./vectors/${name}`, import.meta.url), "utf8");
  return decode(JSON.parse(text)) as File;
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  if (Object.hasOwn(value, "$undefined")) return undefined;
  const decoded = {};
  for (const [key, member] of Object.entries(value)) {
    // Assignment would drop an own `__proto__`, which some cases hold on purpose.
    Object.defineProperty(decoded, key, {
      value: decode(member),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return decoded;
}
