import { defineConfig } from "vitest/config";

const resultFile = process.env["VITEST_RESULT_FILE"];

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "test"],
    reporters: resultFile ? ["default", ["json", { outputFile: resultFile }]] : ["default"],
  },
});
