import { THINKING_LEVELS } from "@acp-kit/router";
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";

/** Platform name of each surface that a bot can be on. */
export const SURFACES = ["poe"] as const;

/** @see https://creator.poe.com/docs/server-bots — Poe's access keys have 32 characters. */
export const ACCESS_KEY_LENGTH = 32;

/** An object that refuses keys it does not know, and names the one that was probably meant. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? describeUnknownKey(issue.keys[0] ?? "", Object.keys(shape))
        : undefined,
  });
}

function describeUnknownKey(key: string, known: readonly string[]): string {
  const nearest = closest(key, [...known]);
  return distance(key.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, key.length / 3)
    ? `unknown key; did you mean "${nearest}"?`
    : `unknown key; known here: ${known.join(", ")}`;
}

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  const list = values.map((value) => `"${value}"`).join(", ");
  return z.enum(values, {
    error: values.length > 1 ? `must be one of ${list}` : `must be ${list}`,
  });
}

const text = (what: string) => z.string({ error: `must be ${what}` }).min(1, `must be ${what}`);
const flag = z.boolean({ error: "must be true or false" });
const port = z.int({ error: "must be a port, 0 to 65535" }).min(0).max(65_535);

/** Names of bots, agents and workspaces: they stand in logs, in chat and in conversation keys. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

function named<Value extends z.ZodType>(value: Value) {
  return z
    .record(
      z
        .string()
        .regex(
          NAME,
          "a name has 1 to 64 letters, digits and . _ - and starts with a letter or digit",
        ),
      value,
      { error: "must be an object of names" },
    )
    .default({});
}

/** `${NAME}` reads the environment, `${file:/path}` a file; see {@link import("./secret.ts").resolveSecret}. */
const secret = text("a text: the secret, or a reference to a variable or file that holds it");

const defaults = section({
  model: text("the id of a model").optional(),
  thinking: oneOf(THINKING_LEVELS).optional(),
  hideThinking: flag.optional(),
  showPlans: flag.optional(),
  showTools: flag.optional(),
  showToolDetails: flag.optional(),
});

const bot = section({
  surface: oneOf(SURFACES),
  path: z
    .string()
    .regex(/^\/[A-Za-z0-9_.~/-]*$/, 'must be a path such as "/poe"')
    .default("/poe"),
  accessKeys: z.array(secret, { error: "must be a list of keys" }).default([]),
  agent: text("the name of an agent").optional(),
  workspace: text("the name of a workspace").optional(),
  introduction: text("a text").max(2_000, "must have at most 2000 characters").optional(),
  defaults: defaults.default({}),
});

const agent = section({
  command: z
    .array(text("an argument"), { error: 'must be a list such as ["my-agent", "--acp"]' })
    .min(1, 'must be a list such as ["my-agent", "--acp"]'),
  env: z.record(z.string(), z.string({ error: "must be a text" })).default({}),
  envPass: z.array(text("the name of a variable")).default([]),
});

const permissions = oneOf(["ask", "allow", "deny"]).default("ask");

const workspace = z.discriminatedUnion(
  "isolation",
  [
    section({ isolation: z.literal("scratch"), permissions }),
    section({
      isolation: z.literal("shared"),
      path: z.string().regex(/^\//, "must be an absolute path"),
      permissions,
    }),
  ],
  {
    error: (issue) =>
      issue.code === "invalid_union" ? describeIsolation(issue.input) : "must be an object",
  },
);

function describeIsolation(input: unknown): string {
  const given = (input as { isolation?: unknown } | undefined)?.isolation;
  return given === "worktree"
    ? 'isolation "worktree" is not available in this version; use "shared" (one turn at a time) or "scratch"'
    : 'isolation must be "scratch" (an empty folder per conversation) or "shared" (the directory at "path")';
}

const accessRule = section({
  users: z.array(text("the platform's id of a person"), {
    error: 'must be a list of ids; ["*"] is everybody',
  }),
  role: oneOf(["user", "approver", "operator"]).default("user"),
  bots: z.array(text("the name of a bot"), { error: "must be a list of names" }).optional(),
});

const privateListener = z.union(
  [
    section({ socket: z.string().regex(/^\//, "must be an absolute path") }),
    section({ host: oneOf(["127.0.0.1", "::1"]).default("127.0.0.1"), port, token: secret }),
  ],
  { error: 'must be {"socket": PATH} or {"host", "port", "token"}' },
);

export const configSchema = section({
  bots: named(bot),
  agents: named(agent),
  workspaces: named(workspace),
  access: z.array(accessRule, { error: "must be a list of rules" }).default([]),
  listen: section({ host: text("an address").optional(), port: port.optional() }).default({}),
  private: privateListener.optional(),
  stateDir: z.string().regex(/^\//, "must be an absolute path").optional(),
  log: section({
    level: oneOf(["debug", "info", "warn", "error", "silent"]).default("info"),
  }).default({
    level: "info",
  }),
});

/** The whole configuration, defaults filled in. */
export type Config = z.output<typeof configSchema>;
export type Bot = Config["bots"][string];
export type AgentConfig = Config["agents"][string];
export type WorkspaceConfig = Config["workspaces"][string];
export type PrivateListenerConfig = NonNullable<Config["private"]>;
