import { defineConfig } from "vitest/config";

const resultFile = process.env["VITEST_RESULT_FILE"];

/** Checks of what is published: built files on other Node versions, packed tarballs, sizes. Needs `pnpm publint` first. */
export default defineConfig({
  test: {
    name: "packed",
    include: ["test/packed/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    reporters: resultFile ? ["default", ["json", { outputFile: resultFile }]] : ["default"],
  },
});
