import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { biomeArrows } from "./architecture/biome-arrows.ts";

const root = new URL("../", import.meta.url).pathname;
const written = "biome.arrows.json";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "acp-kit-arrows-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("biome.arrows.json says what arrows.ts says", () => {
  const config = JSON.parse(readFileSync(path.join(root, written), "utf8"));
  expect(config, "run `node test/architecture/write-biome-arrows.ts`").toEqual(biomeArrows());
});

/** By file: what it may import, and what not. */
const samples: Record<string, { fine: string[]; bad: string[] }> = {
  "packages/statusline/src/a.ts": { fine: ["./b.ts", "../b.ts"], bad: ["node:path", "zod"] },
  "packages/acp-wire/src/schema.ts": { fine: ["zod", "zod/v4", "node:fs"], bad: ["hono"] },
  "packages/acp-wire/src/a.ts": { fine: ["node:fs/promises"], bad: ["zod"] },
  "packages/router/src/a.ts": {
    fine: ["@acp-kit/acp-wire", "@acp-kit/acp-wire/sdk", "@acp-kit/statusline"],
    bad: ["@acp-kit/relay", "@acp-kit/relay/config", "@acp-kit/poe-relay", "undici"],
  },
  "packages/router/src/attachments/a.ts": { fine: ["undici", "../a.ts"], bad: ["zod"] },
  "packages/relay/src/a.ts": {
    fine: ["@acp-kit/router/sqlite", "hono/streaming", "@hono/node-server", "pino", "./b.ts"],
    bad: ["@slack/bolt", "@agentclientprotocol/sdk", "@acp-kit/control"],
  },
  "apps/poe-relay/src/main.ts": { fine: ["@acp-kit/poe-surface"], bad: ["hono"] },
};

test("the lint refuses exactly the imports that have no arrow", () => {
  cpSync(path.join(root, written), path.join(folder, "biome.json"));
  for (const [file, { fine, bad }] of Object.entries(samples)) {
    const lines = [...fine, ...bad].map((name) => `import "${name}";\n`);
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), lines.join(""));
  }
  const expected = Object.entries(samples).flatMap(([file, { fine, bad }]) =>
    bad.map((_, index) => `${file}:${fine.length + index + 1}`),
  );
  expect(lint().sort()).toEqual(expected.sort());
});

/** Runs the rule over the folder; `path:line` for each import that it refuses. */
function lint(): string[] {
  const only = "--only=style/noRestrictedImports";
  const args = ["lint", only, "--reporter=github", "--max-diagnostics=none", "."];
  const biome = path.join(root, "node_modules/.bin/biome");
  try {
    execFileSync(biome, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return [...stdout.matchAll(/file=([^,]+),line=(\d+)/g)].map(
      ([, file, line]) => `${path.relative(folder, file ?? "")}:${line}`,
    );
  }
}
