import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import * as index from "../src/index.ts";
import { seedNames } from "./seed-names.ts";

/** What the Go package exports: 45 types, 8 constants, and 8 functions and methods. */
const exported = [
  "AgentCapabilities",
  "AgentInfo",
  "Conn",
  "NewConn",
  "Conn.Handle",
  "Conn.HandleNotify",
  "Conn.Notify",
  "Conn.Request",
  "Conn.Serve",
  "ContentBlock",
  "EmptyCapability",
  "EnvVariable",
  "Factory",
  "Implementation",
  "InitializeParams",
  "InitializeResult",
  "MCPCapabilities",
  "MCPEnv",
  "MCPEnv.UnmarshalJSON",
  "MCPServerSpec",
  "NotificationHandler",
  "PermissionOption",
  "PermissionOptionKind",
  "OptAllowOnce",
  "OptAllowAlways",
  "OptAllowPersistent",
  "OptRejectOnce",
  "OptRejectAlways",
  "PermissionOutcome",
  "PermissionRequestParams",
  "PermissionRequestResult",
  "PermissionToolCall",
  "PromptCapabilities",
  "RPCError",
  "RPCError.Error",
  "RequestHandler",
  "ResourceContents",
  "SessionCancelParams",
  "SessionCapabilities",
  "SessionCloseParams",
  "SessionCloseResult",
  "SessionDeleteParams",
  "SessionDeleteResult",
  "SessionDirProvider",
  "SessionInfo",
  "SessionListParams",
  "SessionListResult",
  "SessionLoadParams",
  "SessionLoadResult",
  "SessionNewParams",
  "SessionNewResult",
  "SessionParams",
  "SessionPromptParams",
  "SessionPromptResult",
  "SessionResumeParams",
  "SessionResumeResult",
  "SessionUpdateParams",
  "StopReason",
  "StopEndTurn",
  "StopCancelled",
  "StopError",
];

/** The names that the package exports, types included. */
const file = new URL("../src/index.ts", import.meta.url);
const ours = new Set(
  parseSync("index.ts", readFileSync(file, "utf8")).module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName }) => exportName.name),
  ),
);

test("every one of the 61 names has a row, and no row is made up", () => {
  expect(exported).toHaveLength(61);
  expect(Object.keys(seedNames).sort()).toEqual([...exported].sort());
});

test.each(Object.entries(seedNames))("%s has something that stands for it", (_, row) => {
  if ("leftOut" in row) expect(row.leftOut).not.toBe("");
  else if ("sdk" in row) expect(row.sdk).toMatch(/^[A-Z]/);
  else {
    const [name = "", member] = row.ours.split(".");
    expect(ours).toContain(name);
    if (member !== undefined) expect(index.Conn.prototype).toHaveProperty(member);
  }
});
