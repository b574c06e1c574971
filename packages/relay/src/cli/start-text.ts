import type { RelayApp } from "../app.ts";
import { type Bot, pathOf } from "../bots/bot.ts";
import type { BoundAddress } from "../listener.ts";
import { DEMO_AGENT, type Settings } from "../settings.ts";
import type { Relay } from "../start-relay.ts";

/** Of a relay that serves, what is printed. */
type Serving = Pick<Relay, "publicAddress" | "privateAddress" | "stateDir"> & {
  /** The code that makes the first operator; absent when there is one. */
  readonly pairing?: string | undefined;
};

/**
 * What `start` prints once the relay serves. Pure. No secret is in it, but for the demo's own key and the code that makes
 * the first operator.
 */
export function formatStartText(app: RelayApp, settings: Settings, relay: Serving): string {
  const base = formatAddress(relay.publicAddress);
  const lines =
    settings.mode === "demo"
      ? demoLines(app, settings, base, relay.stateDir)
      : configuredLines(app, settings, base, relay);
  return `${lines.join("\n")}\n`;
}

function demoLines(
  app: RelayApp,
  settings: Settings,
  base: string,
  stateDir: string,
): readonly string[] {
  const [bot] = settings.bots;
  if (bot?.settings.surface !== "poe") return [];
  const { path, accessKeys } = bot.settings;
  const url = `${base}${path}`;
  const removed = settings.stateDir === undefined ? " (removed at the end)" : "";
  return [
    `${app.name} ${app.version}: the demo. It serves this machine only, and whoever has the key below.`,
    "",
    `Address  ${url}`,
    `Agent    ${formatAgent(settings, bot.agent)}`,
    `Work in  ${formatWorkspace(settings, bot.workspace)}`,
    `State    ${stateDir}${removed}`,
    "",
    "Send it a message from another terminal:",
    "",
    formatCurlLine(url, accessKeys[0] ?? ""),
    "",
    `Ctrl-C ends it. For a bot of your own, set POE_ACCESS_KEY and start again.`,
  ];
}

function configuredLines(
  app: RelayApp,
  settings: Settings,
  base: string,
  relay: Serving,
): readonly string[] {
  const lines = [
    `${app.name} ${app.version} serves:`,
    ...formatBots(settings, base),
    `State    ${relay.stateDir}`,
    `Private  ${formatAddress(relay.privateAddress)}`,
  ];
  if (isOpen(settings.access)) lines.push('Access   open to everybody: a rule has "*"');
  if (relay.pairing !== undefined) lines.push(...pairingLines(app, settings, relay.pairing));
  return lines;
}

/** The bots, a line for each. @param base - The relay's address; absent: none yet. */
export function formatBots({ bots }: Pick<Settings, "bots">, base = ""): readonly string[] {
  return bots.map(
    ({ name, settings: bot, agent, workspace }) =>
      `  ${formatPlace(base, bot)}  bot ${name}, agent ${agent}, workspace ${workspace}`,
  );
}

/** Where a bot is reached. */
function formatPlace(base: string, bot: Bot): string {
  const path = pathOf(bot);
  return path === undefined ? "Slack, by Socket Mode" : `${base}${path}`;
}

function pairingLines(
  app: RelayApp,
  { access, configFile }: Settings,
  pairing: string,
): readonly string[] {
  const nobody = access.length === 0 ? "Nobody may talk to it yet." : "It has no operator yet.";
  const [advice, ...example] = formatRuleAdvice(access, configFile);
  const others = `Whoever else tries to talk to it is told their id. Let them in with "${app.name} allow ID", or`;
  return [
    "",
    `${nobody} To become its operator, send it this within 10 minutes:`,
    "",
    `  !pair ${pairing}`,
    "",
    ...(isOpen(access) ? [`Or ${advice}`] : [others, advice]),
    ...example,
  ];
}

/** A whole configuration, the part that an existing one lacks, or the rule to put before those that there are. */
function formatRuleAdvice(
  access: Settings["access"],
  configFile?: string,
): readonly [string, ...string[]] {
  const rule = '{ "users": ["THEIR-ID"], "role": "operator" }';
  if (configFile === undefined) {
    const line = "write this into a file and start again with --config FILE:";
    return [line, "", `{ "access": [${rule}] }`];
  }
  return access.length === 0
    ? [`add this to ${configFile} and start again:`, "", `  "access": [${rule}]`]
    : [`put this rule first in "access" of ${configFile} and start again:`, "", `  ${rule}`];
}

function isOpen(access: Settings["access"]): boolean {
  return access.some(({ users }) => users.includes("*"));
}

/** There is no configuration in the demo: an agent that is not its own came by `--agent`. */
function formatAgent({ agents }: Settings, name = ""): string {
  return name === DEMO_AGENT
    ? "the demo's own, which pretends to work"
    : (agents[name]?.command ?? []).join(" ");
}

function formatWorkspace(settings: Settings, name = ""): string {
  const workspace = settings.workspaces[name];
  return workspace?.isolation === "shared"
    ? workspace.path
    : "an empty directory for each conversation";
}

/** `http://127.0.0.1:8787`, or the path of a socket. */
export function formatAddress(address: BoundAddress): string {
  if (address.kind === "socket") return address.path;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `http://${host}:${address.port}`;
}

/** A message as Poe would send it. Its ids hold the time: the line pasted again is another message, not a repeat. */
function formatCurlLine(url: string, key: string): string {
  const stamp = "'$(date +%s)'";
  const message = `{"role":"user","content":"Show me what you can do","content_type":"text/markdown","message_id":"m-${stamp}"}`;
  const body = `{"version":"1.1","type":"query","query":[${message}],"user_id":"u-demo","conversation_id":"c-demo","message_id":"r-${stamp}"}`;
  return `curl -N ${url} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`;
}
