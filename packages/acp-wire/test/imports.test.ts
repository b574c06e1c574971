import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const source = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

/** Every module that a file imports when it runs, by itself or through another: packages by name. */
function importGraph(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const { staticImports, staticExports, dynamicImports } = parseSync(
      file,
      readFileSync(file, "utf8"),
    ).module;
    expect(dynamicImports).toEqual([]);
    const imported = staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some((one) => !one.isType))
      .map((one) => one.moduleRequest.value);
    const passedOn = staticExports.flatMap(({ entries }) =>
      entries.flatMap((one) => (one.isType || !one.moduleRequest ? [] : [one.moduleRequest.value])),
    );
    for (const specifier of [...imported, ...passedOn]) {
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
      else if (!isBuiltin(specifier)) packages.add(specifier);
    }
  };
  visit(entry);
  return { files, packages };
}

describe("the import graph", () => {
  it("of . holds no package", () => {
    const { files, packages } = importGraph(source("index.ts"));
    expect(files.size).toBeGreaterThan(30);
    expect([...packages]).toEqual([]);
  });

  it("of ./schema holds zod, and of ./sdk nothing at run time", () => {
    expect([...importGraph(source("schema.ts")).packages]).toEqual(["zod"]);
    expect([...importGraph(source("sdk.ts")).packages]).toEqual([]);
  });
});

describe("importing .", () => {
  it("takes at most a fifth of the time of importing the SDK", async () => {
    const directory = await mkdtemp(join(tmpdir(), "acp-wire-"));
    const ours = join(directory, "index.mjs");
    await build({
      entryPoints: [source("index.ts")],
      bundle: true,
      format: "esm",
      platform: "node",
      outfile: ours,
    });
    const time = (specifier: string): number => {
      // Of the processor, which a machine that does other things as well may not have at once.
      const code = `const from = process.cpuUsage(); await import(${JSON.stringify(specifier)}); const { user, system } = process.cpuUsage(from); console.log((user + system) / 1_000);`;
      const output = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
        cwd: source("."),
        encoding: "utf8",
        // What was compiled before would hide what it takes.
        env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" },
      });
      return Number(output);
    };
    const runs = Array.from(
      { length: 5 },
      () => [time(ours), time("@agentclientprotocol/sdk")] as const,
    );
    // The best of some: whatever else the machine does only adds to it.
    const own = Math.min(...runs.map(([one]) => one));
    const sdk = Math.min(...runs.map(([, other]) => other));
    console.info(`import: ours ${own.toFixed(1)} ms, SDK 2.4 ${sdk.toFixed(1)} ms`);
    await rm(directory, { recursive: true });
    expect(own).toBeLessThanOrEqual(sdk / 5);
  }, 60_000);
});
