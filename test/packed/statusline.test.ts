import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProject } from "./project.ts";
import { root, run, runOnNode } from "./run.ts";

const packageFolder = path.join(root, "packages/statusline");
const built = path.join(packageFolder, "dist/index.js");

describe("the built file", () => {
  test.each([20, 22, 24])("gives every vector's result on Node.js %i", async (version) => {
    const probe = new URL("./statusline-probe.mjs", import.meta.url).pathname;
    const vectors = path.join(packageFolder, "test/vectors/statusline.json");
    const flags = ["--no-warnings", "--experimental-vm-modules"];
    const printed = JSON.parse(await runOnNode(version, [...flags, probe, built, vectors]));
    expect(printed.node).toMatch(new RegExp(`^v${version}\\.`));
    expect(printed.expected).toHaveLength(370);
    expect(printed.imported).toEqual(printed.expected);
    expect(printed.bare).toEqual(printed.expected);
    const host = [
      "console",
      "process",
      "URL",
      "TextEncoder",
      "setTimeout",
      "Intl",
      "structuredClone",
    ];
    expect(printed.globals.filter((name: string) => host.includes(name))).toEqual([]);
  });

  test.each([
    ["everything", "*", 1_250],
    ["parseMeta alone", "{ parseMeta }", 400],
  ])(
    "takes for %s no more bytes, minified and gzipped, than the README says",
    async (_title, names, maxBytes) => {
      const { outputFiles } = await build({
        stdin: { contents: `export ${names} from "./index.js"`, resolveDir: path.dirname(built) },
        bundle: true,
        minify: true,
        format: "esm",
        target: "es2022",
        write: false,
      });
      const [bundle] = outputFiles;
      expect(bundle).toBeDefined();
      expect(gzipSync(bundle?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
    },
  );
});

describe("the packed file, installed into an empty project", () => {
  let project: Awaited<ReturnType<typeof createProject>>;
  beforeAll(async () => {
    project = await createProject(["packages/statusline"], ["--offline"]);
  });
  afterAll(() => project?.[Symbol.asyncDispose]());

  test("brings nothing along", async () => {
    const modules = path.join(project.folder, "node_modules");
    const installed = (await readdir(modules)).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["@acp-kit"]);
    expect(await readdir(path.join(modules, "@acp-kit"))).toEqual(["statusline"]);
    const manifest = JSON.parse(
      await readFile(path.join(modules, "@acp-kit/statusline/package.json"), "utf8"),
    );
    expect(manifest).not.toHaveProperty("dependencies");
    expect(JSON.stringify(manifest.exports)).not.toContain("@acp-kit/source");
  });

  test("runs the examples of the README", async () => {
    for (const name of ["agent", "relay"]) {
      const source = await readFile(path.join(packageFolder, `examples/${name}.ts`), "utf8");
      const file = path.join(project.folder, `${name}.ts`);
      await writeFile(file, source);
      const claimed = /console\.log\(.*\); \/\/ (.*)/.exec(source)?.[1];
      expect(await run(process.execPath, [file], project.folder)).toBe(`${claimed}\n`);
    }
  });

  test.each([
    ["NodeNext", "NodeNext"],
    ["Bundler", "ESNext"],
  ])("has types under moduleResolution %s, and they are not any", async (resolution, module) => {
    const file = path.join(project.folder, `types-${resolution}.ts`);
    await writeFile(file, consumer);
    const tsc = path.join(root, "node_modules/.bin/tsc");
    const flags = ["--noEmit", "--strict", "--target", "ES2022", "--lib", "ES2022", "--types", ""];
    const resolve = ["--moduleResolution", resolution, "--module", module];
    // Without an ignored tsconfig.json, and with the declarations of the package checked as well.
    await run(tsc, [...flags, ...resolve, "--skipLibCheck", "false", file], project.folder);
  });
});

const consumer = `
import * as statusline from "@acp-kit/statusline";
import { buildMeta, EXTENSION_ID, parseMeta, segments, type Status } from "@acp-kit/statusline";

const id: "dev.acp-kit.status-line/v1" = EXTENSION_ID;
const twelve: 12 = statusline.MAX_FIELD_RUNES;
const openMap: Record<string, unknown> = { ...statusline.advertise(), ...buildMeta({ mood: "calm" }) };
const { mood, plan, ok } = parseMeta(openMap);
const status: Status = { providerEmoji: statusline.providerEmojiForModel("x/y"), mood, plan };
const parts: readonly string[] = segments(status);
export default [id, twelve, ok, parts];

// @ts-expect-error the mood is text
export const wrongMood: number = parseMeta(openMap).mood;
// @ts-expect-error a status has no such field
segments({ colour: "red" });
`;
