import { z } from "zod";
import { botSchema } from "./bot-schema.ts";
import {
  absolutePath,
  argv,
  days,
  flag,
  list,
  named,
  oneOf,
  port,
  secret,
  section,
  text,
  whole,
} from "./schema-parts.ts";

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
  proxy: z.string(PROXY).exactOptional(),
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
export type AgentConfig = Config["agents"][string];
export type WorkspaceConfig = Config["workspaces"][string];
