import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import { describeStoreContract } from "../store-contract.ts";

const root = mkdtempSync(path.join(tmpdir(), "sqlite-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeStoreContract("SqliteStore", () =>
  openSqliteStore({ directory: mkdtempSync(path.join(root, "s-")) }),
);
