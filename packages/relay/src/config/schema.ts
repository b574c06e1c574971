import { THINKING_LEVELS } from "@acp-kit/router";
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";

/** Platform name of each surface that a bot can be on. */
export const SURFACES = ["poe"] as const;

/** An object that refuses keys it does not know and names the ones that were probably meant, one line for each. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => describeUnknown("key", key, Object.keys(shape))).join("\n")
        : "must be an object",
  });
}

/** What to say of a word that is none of `known`. */
export function describeUnknown(what: string, word: string, known: readonly string[]): string {
  if (known.length === 0) return `unknown ${what}; there is none`;
  const nearest = closest(word, [...known]);
  return distance(word.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, word.length / 3)
    ? `unknown ${what}; did you mean "${nearest}"?`
    : `unknown ${what}; known here: ${known.join(", ")}`;
}

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  const list = values.map((value) => `"${value}"`).join(", ");
  return z.enum(values, {
    error: values.length > 1 ? `must be one of ${list}` : `must be ${list}`,
  });
}

const text = (what: string) => z.string({ error: `must be ${what}` }).min(1, `must be ${what}`);
const flag = z.boolean({ error: "must be true or false" });
const list = <Item extends z.ZodType>(item: Item, what: string) =>
  z.array(item, { error: `must be a list of ${what}` });
const absolutePath = z
  .string({ error: "must be an absolute path" })
  .regex(/^\//, "must be an absolute path");
const whole = (min: number, what: string) =>
  z.int(`must be ${what}`).min(min, `must be ${what}`).max(1_000_000_000, `must be ${what}`);
const days = whole(1, "a whole number of days, 1 or more");

const PORT = "must be a port, 0 to 65535";
const port = z.int(PORT).min(0, PORT).max(65_535, PORT);

/** Names of bots, agents and workspaces: they stand in logs, in chat and in conversation keys. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

function named<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string().regex(NAME), value, {
      error: (issue) =>
        issue.code === "invalid_key"
          ? "a name has 1 to 64 letters, digits and . _ - and starts with a letter or digit"
          : "must be an object with a name for each entry",
    })
    .default({});
}

/** `${NAME}` reads the environment, `${file:/path}` a file; see {@link import("./secret.ts").resolveSecret}. */
const secret = text("a text: the secret, or a reference to a variable or file that holds it");

const BOT_PATH = 'must be a path such as "/poe"';

const defaults = section({
  model: text("the id of a model").exactOptional(),
  thinking: oneOf(THINKING_LEVELS).exactOptional(),
  hideThinking: flag.exactOptional(),
  showPlans: flag.exactOptional(),
  showTools: flag.exactOptional(),
  showToolDetails: flag.exactOptional(),
});

export const botSchema = section({
  surface: oneOf(SURFACES),
  path: z
    .string({ error: BOT_PATH })
    .regex(/^\/[A-Za-z0-9_.~/-]*$/, BOT_PATH)
    .refine((path) => path !== "/healthz", '"/healthz" is taken; choose another, such as "/poe"')
    .default("/poe"),
  accessKeys: list(secret, "keys").default([]),
  agent: text("the name of an agent").exactOptional(),
  workspace: text("the name of a workspace").exactOptional(),
  introduction: text("a text").max(2_000, "must have at most 2000 characters").exactOptional(),
  handle: text("the bot's name on Poe").exactOptional(),
  pinnedModels: list(text("the id of a model"), "ids of models").exactOptional(),
  busyPolicy: oneOf(["queue", "interrupt", "steer"]).exactOptional(),
  systemPrompt: text("a text").max(50_000, "must have at most 50000 characters").exactOptional(),
  systemPromptFile: absolutePath.exactOptional(),
  authErrorHint: text("a text").max(2_000, "must have at most 2000 characters").exactOptional(),
  defaults: defaults.default({}),
});

const ARGV = 'must be a list such as ["my-agent", "--acp"]';
const argv = z.array(z.string(ARGV), { error: ARGV }).refine(([program]) => program, ARGV);
const ID = "must be the number of a user or group";
const id = z
  .int(ID)
  .min(0, ID)
  .max(2 ** 31 - 1, ID);
const CWD_MAP = "must be an object of absolute paths: of this machine, and as the agent sees them";
const agent = section({
  command: argv,
  env: z.record(z.string(), z.string("must be a text"), "must be an object of texts").default({}),
  envPass: list(text("the name of a variable"), "names of variables").default([]),
  modes: list(text("the id of a mode"), "ids of modes").exactOptional(),
  models: list(text("the id of a model"), "ids of models").exactOptional(),
  runAs: section({ uid: id, gid: id }).exactOptional(),
  wrapper: argv.exactOptional(),
  cwdMap: z.record(absolutePath, absolutePath, { error: CWD_MAP }).exactOptional(),
  stopCommand: argv.exactOptional(),
  home: oneOf(["shared", "per-user"]).exactOptional(),
  maxProcesses: whole(1, "a whole number, 1 or more").exactOptional(),
}).refine(({ runAs, wrapper }) => runAs === undefined || wrapper === undefined, {
  error: 'must have "runAs" or "wrapper", not both: a wrapper may change the user itself',
});

const POLICIES = ["ask", "allow", "deny", "read-only"] as const;
const policy = oneOf(POLICIES);

/** One word for all tool calls, or one for each kind of them. */
const permissions = z
  .union(
    [
      policy,
      section({
        default: policy.exactOptional(),
        read: policy.exactOptional(),
        edit: policy.exactOptional(),
        delete: policy.exactOptional(),
        move: policy.exactOptional(),
        search: policy.exactOptional(),
        execute: policy.exactOptional(),
        think: policy.exactOptional(),
        fetch: policy.exactOptional(),
        switch_mode: policy.exactOptional(),
        other: policy.exactOptional(),
      }),
    ],
    {
      error: `must be one of ${POLICIES.map((word) => `"${word}"`).join(", ")}, or an object with one for each kind such as { "execute": "ask", "default": "allow" }`,
    },
  )
  .default("ask");

const REVISION = 'must be a branch, tag or commit such as "origin/main"';

const workspace = z.discriminatedUnion(
  "isolation",
  [
    section({ isolation: z.literal("scratch"), permissions }),
    section({ isolation: z.literal("shared"), path: absolutePath, permissions }),
    section({
      isolation: z.literal("worktree"),
      path: absolutePath,
      base: z
        .string(REVISION)
        .regex(/^[A-Za-z0-9][A-Za-z0-9_./@~^-]*$/, REVISION)
        .default("HEAD"),
      setup: argv.exactOptional(),
      keepDays: days.default(14),
      directory: absolutePath.exactOptional(),
      permissions,
    }),
  ],
  {
    error: (issue) =>
      issue.code === "invalid_union"
        ? 'must be "scratch" (an empty folder per conversation), "shared" (the directory at "path") or "worktree" (a branch of the repository at "path" per conversation)'
        : "must be an object",
  },
);

const people = list(text("the platform's id of a person"), 'ids of people; ["*"] is everybody');

const accessRule = section({
  users: people,
  role: oneOf(["user", "approver", "operator"]).default("user"),
  bots: list(text("the name of a bot"), "names of bots").exactOptional(),
  poe: section({ bot: text("the name of a bot").exactOptional() }).exactOptional(),
  slack: section({
    team: text("the id of a team").exactOptional(),
    channel: text("the id of a channel").exactOptional(),
    dm: flag.exactOptional(),
  }).exactOptional(),
  approvers: people.exactOptional(),
  workspaces: list(text("the name of a workspace"), "names of workspaces").exactOptional(),
  agents: list(text("the name of an agent"), "names of agents").exactOptional(),
  models: list(text("the id of a model"), "ids of models").exactOptional(),
  modes: list(text("the id of a mode"), "ids of modes").exactOptional(),
  commands: list(
    text("the name of a command").regex(/^[^/\s]+$/, "must be a name without a slash and spaces"),
    "names of commands",
  ).exactOptional(),
});

const AMOUNT = "must be a number above 0";
const amount = z.number(AMOUNT).positive(AMOUNT).max(1_000_000_000_000, AMOUNT).exactOptional();
const COUNT = "must be a whole number, 1 or more";
const count = z.int(COUNT).min(1, COUNT).max(1_000_000_000, COUNT).exactOptional();

const limits = section({
  turnsPerUserPerHour: count,
  turnsPerConversationPerHour: count,
  minutesPerUserPerDay: amount,
  tokensPerUserPerDay: amount,
  costPerUserPerDay: amount,
  minutesPerProjectPerDay: amount,
  costPerProjectPerDay: amount,
  costPerDay: amount,
  concurrentTurns: count,
  concurrentPerUser: count,
  turnMinutes: amount,
});

const privateListener = section({
  socket: absolutePath.exactOptional(),
  host: oneOf(["127.0.0.1", "::1"]).exactOptional(),
  port: port.exactOptional(),
  token: secret.exactOptional(),
}).refine(
  ({ socket, host, port, token }) =>
    socket === undefined
      ? port !== undefined && token !== undefined
      : host === undefined && port === undefined && token === undefined,
  'must have either "socket", or "port" and "token"',
);

const retention = section({
  eventDays: days.default(30),
  maxEvents: whole(1_000, "a whole number of events, 1000 or more").default(100_000),
  viewDays: days.default(180),
});

const SECONDS = "must be a number of seconds, 0 to 3600";
const MINUTES = "must be a number of minutes, 0 to 1440";

const lifecycle = section({
  drainSeconds: z.number(SECONDS).min(0, SECONDS).max(3_600, SECONDS).default(8),
  handOverMinutes: z.number(MINUTES).min(0, MINUTES).max(1_440, MINUTES).default(60),
});

const BYTES = "must be a whole number of bytes";
const bytes = z
  .int(BYTES)
  .min(0, BYTES)
  .max(2 ** 50, BYTES);
const HOST = 'must be a host such as "files.example.org", or "*.example.org" for all below one';
const PROXY = 'must be a proxy such as "http://proxy.example.org:3128"';

const hosts = list(
  z.string(HOST).regex(/^(?:\*|(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)$/, HOST),
  "hosts",
);

const attachments = section({
  maxInlineImageBytes: bytes.default(3 * 1_048_576),
  maxBytes: bytes.default(100 * 1_048_576),
  quotaBytes: bytes.default(1024 * 1_048_576),
  ttlDays: days.default(30),
  hosts: hosts.default([]),
  imageHosts: hosts.default([]),
  proxy: z.string(PROXY).exactOptional(),
  send: section({
    allow: flag.default(true),
    deny: list(text("a name, or several with /"), "names of files").default([]),
    maxFiles: whole(0, "a whole number of files").default(20),
    maxBytes: bytes.default(50 * 1_048_576),
  }).prefault({}),
});

const store = section({ durability: oneOf(["process", "power"]).default("process") });

const agentTools = section({ enabled: flag.default(true), setModel: flag.default(false) });

const notices = section({
  webhook: secret.exactOptional(),
  allowPrivate: flag.default(false),
});

export const configSchema = section({
  bots: named(botSchema),
  agents: named(agent),
  workspaces: named(workspace),
  access: list(accessRule, "rules").default([]),
  limits: limits.default({}),
  listen: section({ host: text("an address").exactOptional(), port: port.exactOptional() }).default(
    {},
  ),
  private: privateListener.exactOptional(),
  stateDir: absolutePath.exactOptional(),
  store: store.prefault({}),
  attachments: attachments.prefault({}),
  retention: retention.prefault({}),
  lifecycle: lifecycle.prefault({}),
  agentTools: agentTools.prefault({}),
  notices: notices.prefault({}),
  log: section({
    level: oneOf(["debug", "info", "warn", "error", "silent"]).default("info"),
  }).default({ level: "info" }),
});

/** The whole configuration, defaults filled in. */
export type Config = z.output<typeof configSchema>;
export type Bot = Config["bots"][string];
export type AgentConfig = Config["agents"][string];
export type WorkspaceConfig = Config["workspaces"][string];
